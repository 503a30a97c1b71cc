#include "watchdog/server/shutdown.hpp"

#include <csignal>

namespace fwd {
namespace {

constexpr nanoseconds kPoll = milliseconds(5);
constexpr nanoseconds kIdleGrace = milliseconds(500);   // a request that is on its way on an idle connection arrives
constexpr nanoseconds kLastAnswers = milliseconds(200);  // for the answers of requests that had to be given up
constexpr nanoseconds kLastReads = seconds(1);           // for clients to take the end of their answers

}  // namespace

Shutdown::Shutdown(OverdueWatch& watch, Log& log, Health& health, LockFile& lock, Listener& listener,
                   Sessions& sessions, Gate& gate, Mode& mode, ShutdownOptions options)
    : watch_(watch),
      log_(log),
      health_(health),
      lock_(lock),
      listener_(listener),
      sessions_(sessions),
      gate_(gate),
      mode_(mode),
      options_(options),
      signals_(watch.executor(), SIGTERM, SIGINT) {
  listen();
}

void Shutdown::listen() {
  signals_.async_wait([this](const Error& error, int number) {
    if (error) return;
    if (begun()) hurry();
    if (!begun()) first_signal_ = number;
    signalled_.wake_inline();
    listen();
  });
}

void Shutdown::begin(std::string reason) {
  if (begun()) return;
  reason_ = std::move(reason);
  signalled_.wake(watch_.executor());
}

void Shutdown::hurry() {
  hurry_ = true;
  if (stopping_) mode_.kill();
}

Task<bool> Shutdown::run() {
  while (!begun()) co_await signalled_.wait();
  const Deadline by = deadline_after(Clock::now(), options_.timeout);
  const nanoseconds wanted = first_signal_ == SIGTERM ? options_.interval : nanoseconds::zero();
  const nanoseconds interval = std::min(wanted, options_.timeout / 2);
  refuse_new_work(interval);
  const std::function<bool()> never = [] { return false; };
  if (interval > nanoseconds::zero()) co_await until(never, Clock::now() + interval);

  log_.say("No new connections allowed, draining: " + std::to_string(gate_.inside()) + " requests");
  listener_.close();
  co_await close_connections(by);
  const std::size_t cut = gate_.inside();
  OverdueCall cut_the_rest([this] { sessions_.cut_all(); });
  if (cut > 0) watch_.watch(cut_the_rest, Clock::now() + kLastAnswers);
  stopping_ = true;
  const Deadline end = hurry_ ? Clock::now() : by;
  co_await mode_.stop(end);
  const std::function<bool()> all_gone = [this] { return sessions_.count() == 0; };
  hurry_ = false;
  co_await until(all_gone, Clock::now() + kLastReads);
  log_.say("Exiting. Active connections: " + std::to_string(sessions_.count()));
  sessions_.cut_all();
  co_return cut == 0;
}

void Shutdown::refuse_new_work(nanoseconds interval) {
  std::string why = reason_;
  if (first_signal_ == SIGTERM) why = "SIGTERM: no new connections in " + to_go_string(interval);
  if (first_signal_ == SIGINT) why = "SIGINT: no new connections";
  log_.say(why);
  health_.drain();
  sessions_.drain();
  if (!lock_.owned()) return;
  log_.say("Removing lock-file : " + lock_.path());
  lock_.remove();
}

Task<void> Shutdown::close_connections(Deadline by) {
  const std::function<bool()> no_idle = [this] { return !sessions_.any_idle(); };
  co_await until(no_idle, std::min(by, Clock::now() + kIdleGrace));
  const std::function<bool()> all_answered = [this] {
    sessions_.end_all_idle();
    return gate_.inside() == 0;
  };
  co_await until(all_answered, by);
}

/// A second signal ends every wait.
Task<void> Shutdown::until(std::function<bool()> condition, Deadline by) {
  while (!condition() && !hurry_ && Clock::now() < by) {
    OverdueCall poll([this] { signalled_.wake(watch_.executor()); });
    watch_.watch(poll, std::min(by, Clock::now() + kPoll));
    co_await signalled_.wait();
  }
}

}  // namespace fwd
