#include "modes/children.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

namespace fwd {
namespace {

constexpr seconds kShortestRetry{1}, kLongestRetry{60};
constexpr int kServiceTimeWeight = 8;  // a new sample counts one eighth
constexpr std::array<nanoseconds, 3> kBusyFileRetries = {milliseconds(10), milliseconds(50), milliseconds(100)};
constexpr nanoseconds kBetweenLines = seconds(1);  // of a log that would fill up while nothing can be started

/// What it means that no process could be started. What stays as it is means: never with this program.
Error meaning_of(const Error& error) {
  if (error.category() != boost::system::system_category()) return error;
  switch (error.value()) {
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case ETXTBSY: return Errc::spawn_lacks_resources;
    case E2BIG: return Errc::environment_too_large;
    default: return error;
  }
}

}  // namespace

Children::Children(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLogOptions log_options,
                   ChildrenOptions options)
    : watch_(watch),
      reaper_(reaper),
      log_(log),
      log_options_(log_options),
      options_(std::move(options)),
      command_{.argv = options_.argv, .environment = options_.environment, .merge_error = options_.merge_error},
      environment_(command_.environment),
      queue_(watch),
      prefork_(watch, log, options_.prefork, options_.prefork_pause, [this] { return start_child({}); }) {}

Error Children::start() {
  auto program = find_program(options_.argv.empty() ? std::string() : options_.argv.front());
  if (!program) return program.error();
  command_.program = std::move(*program);
  prefork_.begin();
  return {};
}

Task<Result<Children::Lease>> Children::acquire(ChildStart request, Deadline by, std::function<bool()> gone) {
  if (const Error error = co_await turn(by, std::move(gone))) co_return error;
  Child* child = prefork_.take();
  if (child == nullptr) {
    const auto started = co_await start_patiently(request);
    if (!started) {
      end_turn();
      co_return started.error();
    }
    child = *started;
  }
  child->log().call_id(request.call_id);
  Entry& entry = entry_of(*child);
  entry.has_turn = entry.leased = true;
  entry.since = Clock::now();
  child->limit(deadline_after(entry.since, options_.exec_timeout));
  co_return Lease(*this, *child);
}

/// Waits until one more process may answer a request.
Task<Error> Children::turn(Deadline by, std::function<bool()> gone) {
  if (stopping_) co_return Errc::draining;
  const auto since = Clock::now();
  if (by <= since) co_return Errc::deadline_passed;
  if (options_.max_children == 0 || turns_ < options_.max_children) {
    ++turns_;
    co_return Error{};
  }
  if (queue_.size() >= options_.max_queue) queue_.drop_gone();
  if (queue_.size() >= options_.max_queue) co_return Errc::queue_full;

  Waiter waiter(std::move(gone));
  const Deadline queue_end = deadline_after(since, options_.max_queue_wait);
  co_await queue_.settled(waiter, std::min(by, queue_end));
  if (waiter.expired()) co_return by <= queue_end ? Errc::deadline_passed : Errc::queue_timeout;
  if (waiter.error()) co_return waiter.error();
  stats_.wait.add(Clock::now() - since);
  if (!stopping_) co_return Error{};
  end_turn();
  co_return Errc::draining;
}

/// Whoever has waited longest goes on in its place.
void Children::end_turn() {
  if (!queue_.give_turn()) --turns_;
}

/// A program that was written just now may still be open in somebody's child: that passes.
Task<Result<Child*>> Children::start_patiently(const ChildStart& request) {
  auto child = start_child(request.variables);
  for (const nanoseconds delay : kBusyFileRetries) {
    if (child || child.error() != system_error(ETXTBSY)) break;
    Event waited;
    OverdueCall next([&waited, this] { waited.wake(watch_.executor()); });
    watch_.watch(next, delay);
    co_await waited.wait();
    if (stopping_) co_return Errc::draining;
    child = start_child(request.variables);
  }
  if (child) co_return child;
  ++stats_.start_failures;
  const auto now = Clock::now();
  if (now - said_ >= kBetweenLines) log_.say("The function could not be started: " + child.error().message());
  if (now - said_ >= kBetweenLines) said_ = now;
  co_return meaning_of(child.error());
}

Result<Child*> Children::start_child(const std::vector<std::string>& variables) {
  environment_.add(variables);
  const auto before = Clock::now();
  auto child = Child::start(watch_, reaper_, log_, log_options_, command_);
  if (!child && child.error() == system_error(ENOENT) && !command_.program.empty()) {
    command_.program.clear();  // it has moved: look for it again, now and from now on
    child = Child::start(watch_, reaper_, log_, log_options_, command_);
  }
  if (!child) return child.error();
  stats_.spawn.add(Clock::now() - before);
  ++stats_.started;
  ++running_;
  Child* started = child->get();
  if (options_.keep_error_bytes > 0) started->log().keep(options_.keep_error_bytes);
  started->on_end([this](Child& ended_child) { ended(ended_child); });
  entries_.push_back({.child = std::move(*child)});
  return started;
}

Children::Entry& Children::entry_of(const Child& child) {
  return *std::ranges::find_if(entries_, [&child](const Entry& entry) { return entry.child.get() == &child; });
}

void Children::ended(Child& child) {
  --running_;
  Entry& entry = entry_of(child);
  (void)prefork_.ended(child);
  if (std::exchange(entry.has_turn, false)) {
    account_for(child);
    service_time_ += (Clock::now() - entry.since - service_time_) / kServiceTimeWeight;
    prefork_.request_ended();
    end_turn();
  }
  if (!entry.leased) bury(child);
  if (stopping_ && running_ == 0) all_ended_.wake(watch_.executor());
}

void Children::account_for(const Child& child) {
  const Error& failure = child.failure();
  if (failure == Errc::exec_timeout) ++stats_.losses.overdue;
  if (failure == Errc::client_gone || failure == Errc::write_timeout) ++stats_.losses.client_gone;
  if (failure == Errc::worker_protocol) ++stats_.losses.broke_protocol;
  if (!failure && child.status()->code() != 0) ++stats_.losses.died;
}

void Children::bury(Child& child) {
  std::erase_if(entries_, [&child](const Entry& entry) { return entry.child.get() == &child; });
}

Task<void> Children::stop(Deadline by) {
  stopping_ = true;
  queue_.fail_all(Errc::draining);
  prefork_.stop();
  for (const Entry& entry : entries_) entry.child->terminate();
  OverdueCall kill_the_rest([this] { kill(); });
  watch_.watch(kill_the_rest, by);
  while (running_ > 0) co_await all_ended_.wait();
}

void Children::kill() {
  for (const Entry& entry : entries_) entry.child->fail(Errc::draining);
}

seconds Children::retry_after() const {
  const auto places = static_cast<std::int64_t>(std::max<std::size_t>(options_.max_children, 1));
  const auto wait = service_time_ * static_cast<std::int64_t>(queue_.size() + 1) / places;
  return std::clamp(std::chrono::ceil<seconds>(wait), kShortestRetry, kLongestRetry);
}

FunctionStats Children::stats() const {
  FunctionStats stats = stats_;
  stats.queued = queue_.size();
  stats.idle = prefork_.idle();
  stats.busy = static_cast<std::uint64_t>(
      std::ranges::count_if(entries_, [](const Entry& entry) { return entry.has_turn; }));
  return stats;
}

Children::Lease::~Lease() {
  if (child_ == nullptr) return;
  child_->fail(Errc::worker_protocol);
  leave();
}

void Children::Lease::leave() {
  if (child_ == nullptr) return;
  Child& child = *std::exchange(child_, nullptr);
  Entry& entry = children_->entry_of(child);
  entry.leased = false;
  if (child.status()) children_->bury(child);
}

}  // namespace fwd
