#include "bench/event_loop.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>

namespace fwd::bench {

Result<EventLoop> EventLoop::open() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return system_error(errno);
  return EventLoop(std::move(epoll));
}

Error EventLoop::control(int operation, int fd, std::uint32_t events, void* owner) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = owner;
  return ::epoll_ctl(epoll_.get(), operation, fd, &event) == 0 ? Error() : system_error(errno);
}

int EventLoop::wait_with_timeout(const timespec* timeout) {
  const auto room = static_cast<int>(events_.size());
  if (has_pwait2_) {
    const int count = ::epoll_pwait2(epoll_.get(), events_.data(), room, timeout, nullptr);
    if (count >= 0 || errno != ENOSYS) return count;
    has_pwait2_ = false;
  }
  int milliseconds_left = -1;
  if (timeout != nullptr) {
    const std::int64_t rounded_up = timeout->tv_sec * 1000 + (timeout->tv_nsec + 999'999) / 1'000'000;
    milliseconds_left = static_cast<int>(std::min<std::int64_t>(rounded_up, std::numeric_limits<int>::max()));
  }
  return ::epoll_wait(epoll_.get(), events_.data(), room, milliseconds_left);
}

std::span<const epoll_event> EventLoop::wait(Deadline until) {
  timespec timeout{};
  if (until != kNever) {
    const nanoseconds left = std::max(nanoseconds::zero(), nanoseconds(until - Clock::now()));
    timeout.tv_sec = left.count() / 1'000'000'000;
    timeout.tv_nsec = left.count() % 1'000'000'000;
  }
  const int count = wait_with_timeout(until == kNever ? nullptr : &timeout);
  return {events_.data(), static_cast<std::size_t>(std::max(count, 0))};
}

}  // namespace fwd::bench
