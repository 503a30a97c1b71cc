#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bench/connection.hpp"
#include "bench/endpoint.hpp"
#include "bench/event_loop.hpp"
#include "bench/overdue_list.hpp"
#include "bench/progress.hpp"
#include "bench/tally.hpp"
#include "watchdog/base/error.hpp"
#include "watchdog/base/time.hpp"

namespace fwd::bench {

/// How much to ask for, and how.
struct Plan {
  std::uint64_t requests = 1;  // 0 = until the time limit
  unsigned concurrency = 1;
  nanoseconds time_limit{0};  // 0 = none
  nanoseconds timeout = seconds(30);
  std::string request;  // the bytes of one
  bool keep_alive = false;
  bool to_head_request = false;
  bool any_length = false;
};

/// Why a load ended.
enum class Ending { all_done, time_limit, interrupted, nothing_connected };

/// The closed loop: `concurrency` slots, each of which sends its next request as soon as its last one has ended.
/// Memory is constant: it depends on the number of connections, never on that of requests.
class Load {
 public:
  /// `progress` must outlive the load.
  Load(Plan plan, Endpoint endpoint, Progress& progress);

  /// Runs to the end, on the calling thread; SIGINT and SIGTERM end it early.
  /// Errors: epoll or signalfd cannot be had (EMFILE, ENFILE).
  Result<Ending> run();

  const Tally& tally() const { return tally_; }
  nanoseconds elapsed() const { return ended_ - began_; }

 private:
  void start_all(Wire& wire);
  void turn(EventLoop& loop);
  void on_event(void* owner, std::uint32_t events);
  void on_expiry(Clock::time_point now);
  void settle(Connection& connection, Connection::Step step);
  void count(const Connection& connection, Connection::Step step);
  Connection::Step next(Connection& connection, Clock::time_point due);
  bool exhausted() const { return plan_.requests != 0 && tally_.started == plan_.requests; }
  void rest(Connection& connection);
  void end(Ending ending);
  Deadline next_deadline() const;

  Plan plan_;
  Endpoint endpoint_;
  Progress& progress_;
  Tally tally_;
  std::vector<char> buffer_;
  OverdueList in_flight_;
  OverdueList lingering_;
  OverdueList resting_;
  std::deque<Connection> connections_;  // they never move: epoll and the lists point at them
  std::size_t active_ = 0;              // connections that still have something to do
  bool server_closes_ = true;           // until it has once left that to us
  bool stopped_ = false;
  Ending ending_ = Ending::all_done;
  Deadline time_limit_ = kNever;
  Clock::time_point began_;
  Clock::time_point ended_;
};

}  // namespace fwd::bench
