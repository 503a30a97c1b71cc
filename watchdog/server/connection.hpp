#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "watchdog/base/overdue_watch.hpp"
#include "watchdog/base/read_ahead.hpp"

namespace fwd {

using Socket = asio::basic_stream_socket<asio::ip::tcp, Executor>;

/// Places in the lists of all connections and of idle ones; left by themselves at the end.
using OpenHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>,
                                                  boost::intrusive::tag<struct OpenTag>>;
using IdleHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>,
                                                  boost::intrusive::tag<struct IdleTag>>;

/// One client's connection: its socket, what was read ahead, and one deadline. Owned by its session's coroutine.
class Connection : private Overdue, public OpenHook, public IdleHook {
 public:
  Connection(Socket socket, OverdueWatch& watch);

  /// Bytes that were read and not consumed; valid until the next call of anything here.
  std::string_view input() const { return input_.data(); }
  void consume(std::size_t count) { input_.consume(count); }

  /// Waits for more input.
  /// Errors: client_gone; request_timeout once the deadline has passed; draining after let_go(); head_too_large when
  ///         nobody consumes what was read.
  Task<Error> more();

  /// Ends a more() that waits, with request_timeout.
  void interrupt() { input_.interrupt(watch_.executor()); }

  /// True once the client has closed or reset its connection, unless it sent more before. Asks the socket.
  bool gone() const;

  /// Calls `gone` once, at the top of the event loop, when the client leaves while nobody waits in more(). A client that
  /// has ended its sending side, or does within kTogether, is still there: it only has nothing more to say. The kernel is
  /// asked as well, since the event loop may be late. Empty: ends the watch.
  void watch_client(std::function<void()> gone);
  static constexpr nanoseconds kTogether = milliseconds(1);  // behind a request; a network takes no longer for an end

  /// The client has ended its sending side, and nothing went wrong.
  bool at_end() const { return input_.failure() == asio::error::eof; }

  /// Sends `pieces` as one. Tried at once, waited for only where the socket is full.
  /// Errors: client_gone; write_timeout once the deadline has passed.
  Task<Error> write(std::span<const std::string_view> pieces);

  /// Sends `count` bytes of a regular file from `offset`; the kernel copies them.
  /// Errors: as write(); worker_protocol if the file ends early; the file's own.
  Task<Error> send_file(int fd, std::uint64_t offset, std::uint64_t count);

  /// Ends our side; reading goes on.
  void end_writing();

  /// Closes, and ends every read and write that waits.
  void close();

  const Socket& socket() const { return socket_; }

  /// When waiting ends: more() returns, or the socket is closed under a write.
  void set_deadline(Deadline due) {
    expired_ = false;
    watch_.watch(*this, due);
  }

  /// The last deadline has passed, and ended what waited.
  bool expired() const { return expired_; }

  /// Ends a wait for the next request, at the end of the watchdog or to make room for others.
  void let_go();
  void leave_idle_list() { IdleHook::unlink(); }

  /// From now on every answer closes the connection, also one that is yet to begin.
  void drain() { draining_ = true; }
  bool draining() const { return draining_; }

  /// Closes so that the client cannot take what it has for a complete answer.
  void reset();

  /// Ends at once: a reset, unless the last answer is complete and only waits to be read.
  void cut();

  /// Ends our side and discards what still comes, for a second or 64 KiB: a client that is still sending then reads the
  /// answer, and not a reset.
  Task<void> close_lingering();

 private:
  void overdue() override;
  ssize_t peek() const;

  mutable Socket socket_;  // asking it for its state is no change
  OverdueWatch& watch_;
  ReadAhead<Socket> input_;
  bool expired_ = false;
  bool let_go_ = false;
  bool draining_ = false;
  bool lingering_ = false;
};

}  // namespace fwd
