#include "watchdog/server/listener.hpp"

#include <boost/asio/ip/v6_only.hpp>

#include <fcntl.h>

namespace fwd {
namespace {

constexpr nanoseconds kPause = milliseconds(50);  // out of descriptors: let sessions end before the next try
constexpr std::string_view kBusy =
    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 21\r\n"
    "Connection: close\r\nRetry-After: 1\r\nX-OpenFaaS-Internal: of-watchdog\r\n\r\ntoo many connections\n";

UniqueFd open_reserve() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

bool lacks_descriptors(const Error& error) {
  return error == asio::error::no_descriptors || error == system_error(ENFILE) || error == system_error(ENOBUFS) ||
         error == system_error(ENOMEM);
}

}  // namespace

Listener::Listener(OverdueWatch& watch, Log& log, Sessions& sessions, std::size_t max_connections)
    : watch_(watch),
      log_(log),
      sessions_(sessions),
      max_connections_(max_connections),
      acceptor_(watch.executor()),
      reserve_(open_reserve()) {}

Error Listener::open(const std::string& address, std::uint16_t port) {
  if (!address.empty()) {
    Error error;
    const auto literal = asio::ip::make_address(address, error);
    return error ? error : bind({literal, port});
  }
  const Error error = bind({asio::ip::tcp::v6(), port});
  if (error != asio::error::address_family_not_supported) return error;
  return bind({asio::ip::tcp::v4(), port});  // a host without IPv6
}

Error Listener::bind(const asio::ip::tcp::endpoint& endpoint) {
  const auto protocol = endpoint.protocol();
  Error error;
  acceptor_.open(protocol, error);
  if (error) return error;
  acceptor_.set_option(asio::socket_base::reuse_address(true), error);
  if (protocol == asio::ip::tcp::v6()) acceptor_.set_option(asio::ip::v6_only(false), error);
  acceptor_.set_option(asio::ip::tcp::no_delay(true), error);  // inherited by every connection
  acceptor_.bind(endpoint, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (!error) port_ = acceptor_.local_endpoint(error).port();
  if (error) {
    Error ignored;
    acceptor_.close(ignored);
  }
  return error;
}

void Listener::start() { fwd::start(watch_.executor(), run()); }

Task<void> Listener::run() {
  while (acceptor_.is_open()) {
    auto [error, socket] = co_await acceptor_.async_accept(no_throw);
    if (!error) take(std::move(socket));
    if (lacks_descriptors(error)) co_await out_of_descriptors(error);
  }
}

void Listener::take(Socket socket) {
  if (sessions_.count() < max_connections_ || sessions_.end_oldest_idle()) return sessions_.begin(std::move(socket));
  turn_away(std::move(socket));
}

void Listener::turn_away(Socket socket) {
  Error ignored;  // a client that cannot even be told is closed all the same
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(kBusy), ignored);
}

Task<void> Listener::out_of_descriptors(const Error& error) {
  if (!std::exchange(told_, true)) log_.say("Cannot accept connections: " + error.message());
  if (!sessions_.end_oldest_idle()) {
    reserve_.reset();
    Error failure;
    Socket socket(watch_.executor());
    acceptor_.non_blocking(true, failure);
    acceptor_.accept(socket, failure);
    if (!failure) turn_away(std::move(socket));
    reserve_ = open_reserve();
  }
  Event pause;
  OverdueCall wake([&pause, this] { pause.wake(watch_.executor()); });
  watch_.watch(wake, kPause);
  co_await pause.wait();
}

void Listener::close() {
  Error error;
  acceptor_.non_blocking(true, error);
  while (!error) {
    Socket socket(watch_.executor());
    acceptor_.accept(socket, error);
    if (!error) sessions_.begin(std::move(socket));
  }
  acceptor_.close(error);
}

}  // namespace fwd
