#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/basic_resolver.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "modes/upstream_url.hpp"
#include "watchdog/base/overdue_watch.hpp"
#include "watchdog/base/read_ahead.hpp"

namespace fwd {

/// A socket to a function: TCP or Unix.
using UpstreamSocket = asio::basic_stream_socket<asio::generic::stream_protocol, Executor>;

/// One connection to a function's server: either one request uses it, or it is idle and watched for its end.
class UpstreamConnection final : private Overdue {
 public:
  explicit UpstreamConnection(OverdueWatch& watch);

  /// Tries the addresses of `url` in turn: 127.0.0.1 and ::1 for localhost, else what the name stands for now.
  /// Errors: of the last one; operation_aborted after close().
  Task<Error> connect(const UpstreamUrl& url);

  /// Sends `pieces` as one; at most 3. Tried at once, waited for only where the socket is full.
  Task<Error> write(std::span<const std::string_view> pieces);

  /// What of `bytes` the socket takes at once.
  std::size_t write_some(std::string_view bytes, Error& error);

  ReadAhead<UpstreamSocket>& input() { return input_; }

  /// More of an answer is awaited: what came is acknowledged now. A server that writes head and body apart, and leaves
  /// TCP_NODELAY alone, would otherwise wait 40 ms for that.
  void acknowledge();

  /// No more will be written; reading goes on.
  void end_writing();

  /// Ends every connect, read and write that waits.
  void close();

  /// Nothing speaks against another request: open, not ended, nothing unasked for was read.
  bool usable() const { return socket_.is_open() && !input_.failure() && input_.data().empty(); }

  /// The same, and the kernel has not seen its end either: one system call.
  bool surely_usable();

  /// Watches it: `lost` is called once, at its end, when it sends anything, or after `limit`, and may destroy this.
  void watch_idle(nanoseconds limit, std::function<void()> lost);
  void end_idle();

  /// It has served a request before.
  bool reused() const { return reused_; }

 private:
  void overdue() override;
  Task<Error> connect_to(const asio::generic::stream_protocol::endpoint& endpoint);
  bool is_to_itself() const;
  Task<Error> connect_by_name(const UpstreamUrl& url);
  Task<Error> connect_to_unix(const std::string& path);

  OverdueWatch& watch_;
  UpstreamSocket socket_;
  ReadAhead<UpstreamSocket> input_;
  using Resolver = asio::ip::basic_resolver<asio::ip::tcp, Executor>;
  std::optional<Resolver> resolver_;
  std::function<void()> lost_;
  bool closed_ = false;
  bool reused_ = false;
};

/// Waits for `length`, or until `wake` is woken.
Task<void> sleep_for(OverdueWatch& watch, Event& wake, nanoseconds length);

}  // namespace fwd
