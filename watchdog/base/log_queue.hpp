#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace fwd {

/// `fwatchdog: 3 log lines were dropped: the log is not being read`, with its newline.
std::string dropped_notice(std::uint64_t count);

/// Writes lines to a descriptor from a thread of its own, so that a log collector that is stuck or gone never stalls a
/// request: what does not fit into the bounded queue is dropped and counted.
/// Lifetime: `fd` must stay open; the destructor writes what is left, for at most a second.
class LogQueue {
 public:
  /// The line that tells of lost ones; called on the queue's thread.
  using Notice = std::function<std::string(std::uint64_t count)>;

  static constexpr std::size_t kBytes = 256 * 1024;

  explicit LogQueue(int fd, std::size_t limit_bytes = kBytes, Notice notice = dropped_notice);
  ~LogQueue();
  LogQueue(const LogQueue&) = delete;
  LogQueue& operator=(const LogQueue&) = delete;

  /// Queues `line`, which carries its own newline. Never waits for the descriptor.
  void push(std::string_view line);

  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  void run();
  std::string next_batch();
  void gather();
  void write_out(std::string_view bytes);
  bool wait_writable();

  const int fd_;
  const std::size_t limit_bytes_;
  const Notice notice_;
  std::atomic<std::uint64_t> dropped_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string queued_;
  bool stopping_ = false;
  bool asleep_ = false;  // the thread waits to be told; awake, it looks by itself
  std::atomic<bool> last_words_ = false;  // stopping: what cannot be written within a second is lost
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace fwd
