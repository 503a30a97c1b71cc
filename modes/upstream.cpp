#include "modes/upstream.hpp"

#include <unistd.h>

#include <algorithm>

namespace fwd {
namespace {

constexpr nanoseconds kFirstPause = milliseconds(1), kLongestPause = milliseconds(50);  // between two connects
constexpr nanoseconds kFirstDoubt = milliseconds(1), kLastDoubt = milliseconds(16);  // 31 ms in all
constexpr nanoseconds kConnectTime = seconds(1);  // on one machine, a connect that takes longer leads nowhere

}  // namespace

Upstream::Upstream(OverdueWatch& watch, Reaper& reaper, Log& log, FunctionLog& function_log, UpstreamSettings settings,
                   Calls calls)
    : watch_(watch),
      settings_(std::move(settings)),
      calls_(std::move(calls)),
      process_(watch, reaper, log, function_log,
               {.command = [this] { return place(); },
                .started = [this] { started(); },
                .ended = [this](ExitStatus status) { return ended(status); }}) {}

Result<SpawnRequest> Upstream::place() {
  if (!settings_.socket_path.empty()) (void)::unlink(settings_.socket_path.c_str());  // ENOENT, but for a restart
  auto placed = place_upstream(settings_.url, settings_.command, settings_.socket_path);
  if (!placed) return placed.error();
  place_ = std::move(*placed);
  return place_.command;
}

void Upstream::started() { look(); }

bool Upstream::ended(ExitStatus status) {
  ++generation_;
  idle_.clear();
  if (probe_ != nullptr) probe_->close();
  const bool again = calls_.ended(status);
  set_accepting(false);
  return again;
}

void Upstream::set_accepting(bool accepting) {
  if (std::exchange(accepting_, accepting) != accepting) calls_.changed();
}

void Upstream::refused() {
  if (!accepting_) return;
  idle_.clear();
  set_accepting(false);
  look();
}

void Upstream::look() {
  if (looking_ || ending_) return;
  looking_ = true;
  fwd::start(watch_.executor(), look_until_accepting());
}

/// Ends with the process, too: the next one is looked for anew.
Task<void> Upstream::look_until_accepting() {
  for (nanoseconds pause = kFirstPause; process_.running() && !ending_; pause = std::min(pause * 3 / 2, kLongestPause)) {
    const bool connected = co_await try_connect();
    if (connected || ending_) break;
    co_await sleep_for(watch_, wake_, pause);
  }
  looking_ = false;
  looked_.wake(watch_.executor());
}

/// The connection is closed at once: a server that serves one at a time would wait for its request.
Task<bool> Upstream::try_connect() {
  const std::uint64_t generation = generation_;
  UpstreamConnection connection(watch_);
  OverdueCall give_up([&connection] { connection.close(); });
  watch_.watch(give_up, kConnectTime);
  probe_ = &connection;
  const Error error = co_await connection.connect(place_.url);
  probe_ = nullptr;
  if (error || generation != generation_ || ending_) co_return false;
  set_accepting(true);
  co_return true;
}

void Upstream::drop(const UpstreamConnection* connection) {
  std::erase_if(idle_, [connection](const auto& each) { return each.get() == connection; });
}

/// A process closes its descriptors some time before we are told of its end.
Task<void> Upstream::seen_to_live() {
  const std::uint64_t generation = generation_;
  Event never;
  for (nanoseconds pause = kFirstDoubt; pause <= kLastDoubt && generation == generation_ && !ending_; pause *= 2)
    co_await sleep_for(watch_, never, pause);
}

void Upstream::ask_to_end() {
  ending_ = true;
  idle_.clear();
  process_.ask_to_end();
  if (probe_ != nullptr) probe_->close();
  wake_.wake(watch_.executor());
}

Task<void> Upstream::gone() {
  co_await process_.gone();
  while (looking_) co_await looked_.wait();
}

std::unique_ptr<UpstreamConnection> Upstream::Use::take_idle(bool surely) {
  auto& idle = upstream_.idle_;
  while (!idle.empty()) {
    auto connection = std::move(idle.back());
    idle.pop_back();
    connection->end_idle();
    if (surely ? connection->surely_usable() : connection->usable()) return connection;
  }
  return nullptr;
}

void Upstream::Use::give_back(std::unique_ptr<UpstreamConnection> connection) {
  const bool wanted = !outlived() && !upstream_.ending_ && upstream_.idle_.size() < kMostIdle;
  if (!wanted || !connection->usable()) return;
  auto lost = [upstream = &upstream_, raw = connection.get()] { upstream->drop(raw); };
  connection->watch_idle(kIdleTime, std::move(lost));
  upstream_.idle_.push_back(std::move(connection));
}

}  // namespace fwd
