#pragma once

#include "watchdog/base/overdue_watch.hpp"
#include "watchdog/process/function_process.hpp"

namespace fwd {

/// Why a worker is not used any more.
enum class RetireCause { died, overdue, broke_protocol, left_request, stray_output, stopping };

const char* to_string(RetireCause cause);

/// One function process in a pool: takes one request at a time.
class Worker {
 public:
  enum class State { idle, busy, retired };

  Worker(std::size_t slot, std::unique_ptr<FunctionProcess> process) : slot_(slot), process_(std::move(process)) {}

  std::size_t slot() const { return slot_; }
  FunctionProcess& process() { return *process_; }
  State state() const { return state_; }
  RetireCause retire_cause() const { return retire_cause_; }
  std::uint64_t answered() const { return answered_; }

 private:
  friend class WorkerPool;

  std::size_t slot_;
  std::unique_ptr<FunctionProcess> process_;
  State state_ = State::idle;
  RetireCause retire_cause_ = RetireCause::died;
  std::uint64_t answered_ = 0;
  bool leased_ = false;  // somebody holds a Lease, retired or not
  Clock::time_point handed_over_{};
  std::unique_ptr<Overdue> due_;         // exec_timeout
  std::unique_ptr<Overdue> last_words_;  // of a process that has ended
};

}  // namespace fwd
