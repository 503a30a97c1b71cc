#include "watchdog/base/log_queue.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

namespace fwd {
namespace {

constexpr auto kGatherTime = std::chrono::milliseconds(20);  // one write for many lines
constexpr std::size_t kPieceBytes = 4096;                   // PIPE_BUF: after POLLOUT such a write does not block
constexpr auto kPollMilliseconds = 100;
constexpr int kLastPolls = 10;  // a second in all: a collector that is stuck must not keep us from ending

/// Signals belong to the event loop: a thread that could take one would end the process by default.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

std::string dropped_notice(std::uint64_t count) {
  return "fwatchdog: " + std::to_string(count) + " log lines were dropped: the log is not being read\n";
}

LogQueue::LogQueue(int fd, std::size_t limit_bytes, Notice notice)
    : fd_(fd), limit_bytes_(limit_bytes), notice_(std::move(notice)), thread_([this] { run(); }) {}

LogQueue::~LogQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    asleep_ = false;
  }
  last_words_ = true;
  changed_.notify_one();
  thread_.join();
}

void LogQueue::push(std::string_view line) {
  bool asleep = false;
  {
    const std::lock_guard lock(mutex_);
    if (queued_.size() + line.size() > limit_bytes_) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    queued_.append(line);
    asleep = std::exchange(asleep_, false);
  }
  if (asleep) changed_.notify_one();
}

/// The next lines; empty at the end.
std::string LogQueue::next_batch() {
  std::unique_lock lock(mutex_);
  asleep_ = queued_.empty() && !stopping_;
  changed_.wait(lock, [this] { return !asleep_; });
  return std::exchange(queued_, {});
}

/// While lines keep coming they are gathered, and nobody need be woken for them.
void LogQueue::gather() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kGatherTime, [this] { return stopping_; });
}

void LogQueue::run() {
  block_signals();
  std::uint64_t reported = 0;
  for (std::string batch = next_batch(); !batch.empty(); batch = next_batch()) {
    write_out(batch);
    const std::uint64_t lost = dropped();
    if (lost != reported) write_out(notice_(lost - reported));
    reported = lost;
    gather();
  }
}

void LogQueue::write_out(std::string_view bytes) {
  while (!bytes.empty() && wait_writable()) {
    const ssize_t written = ::write(fd_, bytes.data(), std::min(bytes.size(), kPieceBytes));
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;  // closed or gone: nobody is listening
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool LogQueue::wait_writable() {
  pollfd ready{fd_, POLLOUT, 0};
  for (int last = 0; last < kLastPolls; last += last_words_ ? 1 : 0) {
    if (::poll(&ready, 1, kPollMilliseconds) != 0) return true;
  }
  return false;
}

}  // namespace fwd
