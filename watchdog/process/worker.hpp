#pragma once

#include <optional>

#include "watchdog/base/overdue_watch.hpp"
#include "watchdog/process/function_process.hpp"
#include "watchdog/process/turn.hpp"

namespace fwd {

/// Why a worker is not used any more.
enum class RetireCause { died, overdue, broke_protocol, left_request, stray_output, recycled, stopping };

const char* to_string(RetireCause cause);

/// What wears a worker out, so that it is recycled.
enum class Wear { requests, lifetime, memory };

/// One function process in a pool: takes one request at a time, or several ahead if the function has declared that.
class Worker {
 public:
  enum class State {
    starting,  // the successor of another worker: not used yet
    idle,
    busy,
    retired,
  };

  Worker(std::size_t slot, std::unique_ptr<FunctionProcess> process) : slot_(slot), process_(std::move(process)) {}

  std::size_t slot() const { return slot_; }
  FunctionProcess& process() { return *process_; }
  State state() const { return state_; }
  RetireCause retire_cause() const { return retire_cause_; }
  std::uint64_t answered() const { return answered_; }

 private:
  friend class WorkerPool;
  friend class WorkerRecycler;

  std::size_t slot_;
  std::unique_ptr<FunctionProcess> process_;
  State state_ = State::starting;
  RetireCause retire_cause_ = RetireCause::died;
  std::uint64_t answered_ = 0;
  std::size_t leases_ = 0;  // that somebody holds, retired or not
  Clock::time_point handed_over_{};  // the oldest request that it has
  std::unique_ptr<Overdue> due_;         // exec_timeout
  std::unique_ptr<Overdue> last_words_;  // of a process that has ended

  // Where it may have several requests.
  Turns turns_;
  std::uint64_t written_ = 0;  // bytes of all requests
  bool open_ = false;          // the last request has been written: another may follow it
  bool streaming_ = false;     // the answer that comes is long: nobody should have to wait for it

  // For the recycler.
  std::optional<Wear> wear_;                // why it is to be recycled, once it is
  Clock::time_point started_{};
  std::uint64_t most_answers_ = 0;          // its own draw of max_requests
  Clock::time_point next_look_{};           // at its memory
  std::uint64_t resident_bytes_ = 0;        // when it was looked at last
  std::unique_ptr<Overdue> old_age_;        // max_lifetime
  std::unique_ptr<Overdue> end_of_patience_;  // was asked to end
};

}  // namespace fwd
