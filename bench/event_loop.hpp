#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <sys/epoll.h>

#include "watchdog/base/error.hpp"
#include "watchdog/base/fd.hpp"
#include "watchdog/base/time.hpp"

namespace fwd::bench {

/// Raw epoll: one system call waits for everything, and a descriptor is registered once in its life, edge-triggered.
/// Asio's reactor would be in the way of exactly the calls that this program is there to save.
class EventLoop {
 public:
  static Result<EventLoop> open();

  /// `owner` comes back with each event; closing the descriptor removes it.
  Error add(int fd, std::uint32_t events, void* owner) { return control(EPOLL_CTL_ADD, fd, events, owner); }
  Error modify(int fd, std::uint32_t events, void* owner) { return control(EPOLL_CTL_MOD, fd, events, owner); }

  /// Waits for events, until `until` at most. Empty when the time is up or a signal came. Valid until the next call.
  std::span<const epoll_event> wait(Deadline until);

 private:
  explicit EventLoop(UniqueFd epoll) : epoll_(std::move(epoll)) {}
  Error control(int operation, int fd, std::uint32_t events, void* owner);
  int wait_with_timeout(const timespec* timeout);

  static constexpr std::size_t kEventsPerWait = 256;  // 3 KB; more connections take turns
  UniqueFd epoll_;
  bool has_pwait2_ = true;  // Linux 5.11 and later, not in every sandbox
  std::array<epoll_event, kEventsPerWait> events_{};
};

}  // namespace fwd::bench
