#pragma once

#include <boost/asio/basic_socket_acceptor.hpp>

#include <string>

#include "watchdog/base/fd.hpp"
#include "watchdog/base/log.hpp"
#include "watchdog/server/sessions.hpp"

namespace fwd {

/// Accepts connections on one port. No error ends it: out of descriptors, it makes room or turns
/// clients away, and goes on.
class Listener {
 public:
  Listener(OverdueWatch& watch, Log& log, Sessions& sessions, std::size_t max_connections);

  /// `address`: an IPv4 or IPv6 literal; empty: every address of this machine. Port 0: any free one.
  /// Errors: EADDRINUSE, EACCES; EADDRNOTAVAIL for an address that is not ours, EINVAL for what is no address.
  Error open(const std::string& address, std::uint16_t port);
  std::uint16_t port() const { return port_; }

  /// Begins to accept.
  void start();

  /// Takes in what waits in the queue already, then accepts no more: closing alone would reset those clients.
  void close();

 private:
  using Acceptor = asio::basic_socket_acceptor<asio::ip::tcp, Executor>;

  Task<void> run();
  Task<void> out_of_descriptors(const Error& error);
  void take(Socket socket);
  void turn_away(Socket socket);
  Error bind(const asio::ip::tcp::endpoint& endpoint);

  OverdueWatch& watch_;
  Log& log_;
  Sessions& sessions_;
  std::size_t max_connections_;
  Acceptor acceptor_;
  UniqueFd reserve_;  // given up to turn one client away when there is no descriptor left
  std::uint16_t port_ = 0;
  bool told_ = false;
};

}  // namespace fwd
