#include "bench/load.hpp"

#include <algorithm>
#include <sys/prctl.h>

#include "bench/signal_watch.hpp"

namespace fwd::bench {
namespace {

constexpr std::size_t kReadBytes = 256 * 1024;   // bench-features 5.3: a 1 MiB body in few calls
constexpr auto kLingerTime = milliseconds(100);  // for the server to close after its answer
constexpr auto kRestTime = milliseconds(10);     // after a failed connect, so as not to spin on a dead server
constexpr std::uint64_t kHopelessConnects = 10;  // ab's "Test aborted after 10 failures"

std::uint64_t connect_failures(const Tally& tally) {
  std::uint64_t count = 0;
  for (std::size_t kind = 1; kind < kFailureKinds; ++kind) {
    if (failure_column(static_cast<Failure>(kind)) == FailureColumn::connect) count += tally.failures[kind];
  }
  return count;
}

}  // namespace

Load::Load(Plan plan, Endpoint endpoint, Progress& progress)
    : plan_(std::move(plan)),
      endpoint_(std::move(endpoint)),
      progress_(progress),
      buffer_(kReadBytes),
      in_flight_(plan_.timeout),
      lingering_(kLingerTime),
      resting_(kRestTime) {}

Result<Ending> Load::run() {
  auto loop = EventLoop::open();
  if (!loop) return loop.error();
  auto signals = SignalWatch::open();
  if (!signals) return signals.error();
  if (const Error error = loop->add(signals->fd(), EPOLLIN, nullptr)) return error;
  (void)::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL,
                0UL);  // timers to the nanosecond, not to 50 us; worse timing if it fails

  Wire wire{.loop = *loop,
            .endpoint = endpoint_,
            .tally = tally_,
            .request = plan_.request,
            .buffer = buffer_,
            .keep_alive = plan_.keep_alive,
            .to_head_request = plan_.to_head_request};
  began_ = ended_ = Clock::now();
  time_limit_ = deadline_after(began_, plan_.time_limit);
  start_all(wire);
  while (active_ > 0 && !stopped_) turn(*loop);
  for (Connection& connection : connections_) tally_.interrupted += connection.in_flight() ? 1 : 0;
  connections_.clear();
  signals->drain();
  return ending_;
}

void Load::start_all(Wire& wire) {
  for (unsigned i = 0; i < plan_.concurrency && !stopped_; ++i) {
    Connection& connection = connections_.emplace_back(wire);
    ++active_;
    settle(connection, next(connection, Clock::now()));
  }
}

/// One wake-up: everything that has come, then everything that is overdue.
void Load::turn(EventLoop& loop) {
  for (const epoll_event& event : loop.wait(next_deadline())) {
    on_event(event.data.ptr, event.events);
    if (stopped_) return;
  }
  on_expiry(Clock::now());
}

void Load::on_event(void* owner, std::uint32_t events) {
  if (owner == nullptr) return end(Ending::interrupted);
  Connection& connection = *static_cast<Connection*>(owner);
  if (connection.phase() == Connection::Phase::idle) return;  // resting, or closed
  const bool lingered = connection.phase() == Connection::Phase::lingering;
  const Connection::Step step = connection.on_event(events);
  settle(connection, lingered ? next(connection, Clock::now()) : step);
}

Deadline Load::next_deadline() const {
  return std::min({time_limit_, in_flight_.next_deadline(), lingering_.next_deadline(), resting_.next_deadline()});
}

void Load::on_expiry(Clock::time_point now) {
  if (now >= time_limit_) return end(Ending::time_limit);
  for (OverdueList::Node* node; !stopped_ && (node = in_flight_.take_expired(now)) != nullptr;) {
    auto& connection = static_cast<Connection&>(*node);
    connection.abandon();
    settle(connection, Connection::Step::failed);
  }
  for (OverdueList::Node* node; !stopped_ && (node = lingering_.take_expired(now)) != nullptr;) {
    server_closes_ = false;  // do not wait for it any more
    auto& connection = static_cast<Connection&>(*node);
    connection.close();
    settle(connection, next(connection, Clock::now()));
  }
  for (OverdueList::Node* node; !stopped_ && (node = resting_.take_expired(now)) != nullptr;) {
    auto& connection = static_cast<Connection&>(*node);
    settle(connection, next(connection, Clock::now()));
  }
}

/// Counts what a request came to, and starts the next one in the same breath.
void Load::settle(Connection& connection, Connection::Step step) {
  while (step != Connection::Step::pending) {
    count(connection, step);
    if (stopped_) return;
    if (step == Connection::Step::failed && failure_column(connection.failure()) == FailureColumn::connect) {
      return rest(connection);
    }
    if (connection.phase() == Connection::Phase::lingering) {
      if (server_closes_ && !exhausted()) return lingering_.add(connection, ended_);
      connection.close();
    }
    step = next(connection, ended_);
  }
}

void Load::count(const Connection& connection, Connection::Step step) {
  const Sample& sample = connection.sample();
  ended_ = sample.done;
  if (step == Connection::Step::answered) {
    tally_.answered(sample, plan_.any_length);
    if (tally_.server.empty()) tally_.server = connection.reader().server();
  } else {
    tally_.failed(connection.failure(), sample.total());
  }
  progress_.completed(tally_.completed);
}

void Load::rest(Connection& connection) {
  resting_.add(connection, ended_);
  const std::uint64_t hopeless = std::max<std::uint64_t>(kHopelessConnects, plan_.concurrency);
  if (!endpoint_.proven && connect_failures(tally_) >= hopeless) end(Ending::nothing_connected);
}

/// Starts a request on a free slot, or takes the slot out of the run when no request is left.
Connection::Step Load::next(Connection& connection, Clock::time_point due) {
  if (exhausted()) {
    connection.leave();
    connection.close();
    --active_;
    return Connection::Step::pending;
  }
  ++tally_.started;
  in_flight_.add(connection, due);
  return connection.begin(due);
}

void Load::end(Ending ending) {
  stopped_ = true;
  ending_ = ending;
  ended_ = Clock::now();
}

}  // namespace fwd::bench
