#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace fwd {

namespace asio = boost::asio;

/// The executor of everything that waits. Typed: any_io_executor costs 14 % of the instructions of a request.
using Executor = asio::io_context::executor_type;

/// What a function that waits returns.
template <class T>
using Task = asio::awaitable<T, Executor>;

/// The token of every library call that waits: `auto [ec, n] = co_await stream.async_read_some(buffer, no_throw);`
inline constexpr auto no_throw = asio::as_tuple(asio::deferred);

/// Starts `task` on its own. Used for sessions and for what owns its completion; nothing else is detached.
template <class T>
void start(Executor executor, Task<T> task) {
  asio::co_spawn(executor, std::move(task), [](std::exception_ptr failure, auto...) {
    if (failure) std::rethrow_exception(failure);  // a bug of ours: main() reports it and ends with 70
  });
}

}  // namespace fwd
