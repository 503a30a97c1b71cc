#pragma once

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/require.hpp>

#include <optional>
#include <utility>

#include "watchdog/base/task.hpp"

namespace fwd {

/// Lets one coroutine sleep until somebody wakes it. Allocates nothing. Whoever wakes must run on the same executor.
/// Lifetime: must not be destroyed while somebody waits, unless its io_context never runs again.
class Event {
 public:
  /// Waits for the next wake. At most one waiter. Not a coroutine itself: that would cost a frame more.
  Task<void> wait() {
    auto keep = [this](auto handler) { waiter_.emplace(std::move(handler)); };
    return asio::async_initiate<Token, void()>(std::move(keep), token_);
  }

  bool awaited() const { return waiter_.has_value(); }

  /// Resumes the waiter, if any, once the caller has returned to the event loop.
  void wake(const Executor& executor) {
    if (waiter_) asio::require(executor, asio::execution::blocking.never).execute(*std::exchange(waiter_, std::nullopt));
  }

  /// Resumes the waiter, if any, at once. Only for completion handlers, which have no caller of ours above them.
  void wake_inline() {
    if (waiter_) (*std::exchange(waiter_, std::nullopt))();
  }

 private:
  using Token = asio::use_awaitable_t<Executor>;
  using Waiter = asio::async_result<Token, void()>::handler_type;

  Token token_;
  std::optional<Waiter> waiter_;
};

}  // namespace fwd
