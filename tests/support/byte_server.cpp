#include "tests/support/byte_server.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <stdexcept>
#include <strings.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fwd::test {
namespace {

constexpr int kForever = -1;
constexpr int kDribbleMs = 2;
constexpr int kBacklog = 1024;

/// A socket bound to a free port of 127.0.0.1.
int bind_socket(std::uint16_t& port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (fd < 0 || ::bind(fd, generic, length) != 0 || ::getsockname(fd, generic, &length) != 0) {
    throw std::runtime_error("cannot bind to 127.0.0.1");
  }
  port = ntohs(address.sin_port);
  return fd;
}

/// How long the first request in `bytes` is; 0 if its end is not there yet.
std::size_t request_length(const std::string& bytes) {
  const auto head_end = bytes.find("\r\n\r\n");
  if (head_end == std::string::npos) return 0;
  constexpr std::string_view kLength = "\r\nContent-Length:";
  std::size_t body = 0;
  for (std::size_t at = 0; at < head_end; ++at) {
    if (::strncasecmp(bytes.data() + at, kLength.data(), kLength.size()) == 0) {
      body = std::strtoul(bytes.data() + at + kLength.size(), nullptr, 10);
    }
  }
  const std::size_t whole = head_end + 4 + body;
  return bytes.size() >= whole ? whole : 0;
}

}  // namespace

ByteServer::ByteServer(std::vector<Script> scripts)
    : scripts_(std::move(scripts)), listener_(bind_socket(port_)), stop_event_(::eventfd(0, EFD_CLOEXEC)) {
  if (::listen(listener_, kBacklog) != 0) throw std::runtime_error("cannot listen");
  acceptor_ = std::thread([this] { accept_all(); });
}

ByteServer::~ByteServer() {
  const std::uint64_t one = 1;
  (void)!::write(stop_event_, &one, sizeof one);  // an eventfd always takes a 1
  acceptor_.join();
  for (std::thread& thread : threads_) thread.join();
  (void)::close(listener_);
  (void)::close(stop_event_);
}

/// Waits for `events` on the connection; false when the server is to end or the time is up.
bool ByteServer::readable(int connection, short events, int timeout_ms) const {
  pollfd both[] = {{connection, events, 0}, {stop_event_, POLLIN, 0}};
  while (::poll(both, 2, timeout_ms) < 0 && errno == EINTR) {
  }
  return both[1].revents == 0 && both[0].revents != 0;
}

void ByteServer::accept_all() {
  while (readable(listener_, POLLIN, kForever)) {
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    const std::size_t number = accepted_++;
    const Script& script = scripts_[std::min(number, scripts_.size() - 1)];
    threads_.emplace_back([this, connection, &script] { play(connection, script); });
  }
}

void ByteServer::play(int connection, const Script& script) {
  std::string unread;
  for (const Act& act : script) {
    if (!do_act(connection, act, unread)) break;
  }
  (void)::close(connection);
}

bool ByteServer::do_act(int connection, const Act& act, std::string& unread) {
  switch (act.kind) {
    case Act::Kind::read_request:
      return read_one(connection, unread);
    case Act::Kind::send: {
      std::string_view rest = act.bytes;
      while (!rest.empty()) {
        const ssize_t count = ::send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        rest.remove_prefix(static_cast<std::size_t>(count));
      }
      return true;
    }
    case Act::Kind::dribble:
      for (const char& byte : act.bytes) {
        if (::send(connection, &byte, 1, MSG_NOSIGNAL) != 1) return false;
        if (readable(connection, POLLRDHUP, kDribbleMs)) return false;
      }
      return true;
    case Act::Kind::stall:
      (void)readable(connection, POLLRDHUP, kForever);
      return false;
    case Act::Kind::reset: {
      const linger at_once{1, 0};
      (void)::setsockopt(connection, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      return false;
    }
  }
  return false;
}

bool ByteServer::read_one(int connection, std::string& unread) {
  std::size_t length = 0;
  while ((length = request_length(unread)) == 0) {
    if (!readable(connection, POLLIN, kForever)) return false;
    const std::size_t before = unread.size();
    unread.resize(before + 65'536);
    const ssize_t count = ::recv(connection, unread.data() + before, 65'536, 0);
    unread.resize(before + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count <= 0) return false;
  }
  const std::lock_guard lock(mutex_);
  requests_.push_back(unread.substr(0, length));
  unread.erase(0, length);
  grown_.notify_all();
  return true;
}

std::vector<std::string> ByteServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

bool ByteServer::wait_for_requests(std::size_t count, std::chrono::milliseconds budget) const {
  std::unique_lock lock(mutex_);
  return grown_.wait_for(lock, budget, [&] { return requests_.size() >= count; });
}

ClosedPort::ClosedPort() : socket_(bind_socket(port_)) {}

ClosedPort::~ClosedPort() {
  (void)::close(socket_);
}

}  // namespace fwd::test
