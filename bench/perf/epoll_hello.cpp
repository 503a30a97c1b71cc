// A hello server on raw epoll: one thread, a hand-written parser, one send per answer. It is the price of HTTP on this
// machine; the front-end of fwatchdog is measured as a ratio to it.
//
//   epoll_hello [--port N] [--body BYTES]      prints "Listening on port: N" on stderr; 127.0.0.1 only; ends by SIGTERM
//
// It is also the function behind mode http, so it knows chunked bodies, and answers when it has seen the whole of a
// body.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string>
#include <string_view>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::size_t kBufferBytes = 16 * 1024;   // the longest request head; bodies of any length are skipped
constexpr std::size_t kMaxBodyBytes = 64 * 1024;  // an answer that loopback takes in one send
constexpr int kEventsPerWait = 128;               // as Asio's reactor, so that wake-ups compare
constexpr std::string_view kGreeting = "Hello, World!";

struct RequestHead {
  std::size_t content_length = 0;
  bool chunked = false;
  bool http_10 = false;
  bool keep_alive = true;
};

struct Connection {
  std::size_t used = 0;
  std::size_t body_to_skip = 0;  // of a chunked body: of this chunk
  bool last_chunk_seen = false;
  bool answer_due = false;  // to `request`, once its body is here
  RequestHead request;
  std::array<char, kBufferBytes> buffer;
};

struct Answers {
  std::string keep_alive;     // to HTTP/1.1
  std::string keep_alive_10;  // ab wants the words "keep-alive" in the head
  std::string close;
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(71);
}

Answers make_answers(std::size_t body_bytes) {
  std::string body;
  while (body.size() < body_bytes) body += kGreeting;
  body.resize(body_bytes);
  const std::string head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body_bytes);
  return {.keep_alive = head + "\r\n\r\n" + body,
          .keep_alive_10 = head + "\r\nConnection: keep-alive\r\n\r\n" + body,
          .close = head + "\r\nConnection: close\r\n\r\n" + body};
}

bool starts_with_name(std::string_view line, std::string_view name) {
  return line.size() > name.size() && strncasecmp(line.data(), name.data(), name.size()) == 0;
}

/// Reads what the answer depends on from a complete head (its last bytes are CR LF CR LF).
RequestHead parse_head(std::string_view head) {
  RequestHead result;
  std::size_t start = head.find('\n') + 1;
  result.http_10 = head.substr(0, start).find("HTTP/1.0") != std::string_view::npos;
  result.keep_alive = !result.http_10;
  while (start < head.size()) {
    const std::size_t end = head.find('\n', start);
    const std::string_view line = head.substr(start, end - start);
    if (starts_with_name(line, "content-length:")) {
      result.content_length = std::strtoul(line.data() + 15, nullptr, 10);
    } else if (starts_with_name(line, "transfer-encoding:")) {
      result.chunked = true;
    } else if (starts_with_name(line, "connection:")) {
      const std::size_t value = line.find_first_not_of(' ', 11);
      if (value != std::string_view::npos) result.keep_alive = (line[value] | 0x20) == 'k';
    }
    start = end + 1;
  }
  return result;
}

/// Sends everything; waits for room where it must. False when the client has gone.
bool send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      pollfd room{.fd = fd, .events = POLLOUT, .revents = 0};
      poll(&room, 1, 1000);
    } else {
      return false;
    }
  }
  return true;
}

void consume(Connection& connection, std::size_t bytes) {
  std::memmove(connection.buffer.data(), connection.buffer.data() + bytes, connection.used - bytes);
  connection.used -= bytes;
}

/// True when what is left of the body or chunk has come and gone.
bool skip_bytes(Connection& connection) {
  const std::size_t skipped = std::min(connection.body_to_skip, connection.used);
  consume(connection, skipped);
  connection.body_to_skip -= skipped;
  return connection.body_to_skip == 0;
}

/// True when the last chunk and the lines after it have come and gone.
bool skip_chunks(Connection& connection) {
  while (skip_bytes(connection)) {
    const std::size_t end = std::string_view{connection.buffer.data(), connection.used}.find("\r\n");
    if (end == std::string_view::npos) return false;
    const std::size_t bytes = std::strtoul(connection.buffer.data(), nullptr, 16);
    consume(connection, end + 2);
    if (connection.last_chunk_seen && end == 0) return true;
    if (connection.last_chunk_seen) continue;  // a trailer
    connection.last_chunk_seen = bytes == 0;
    if (bytes > 0) connection.body_to_skip = bytes + 2;
  }
  return false;
}

/// Answers every complete request in the buffer. False when the connection is to be closed.
bool answer_requests(int fd, Connection& connection, const Answers& answers) {
  while (true) {
    if (connection.answer_due) {
      const RequestHead& request = connection.request;
      const bool whole = request.chunked ? skip_chunks(connection) : skip_bytes(connection);
      if (!whole) return connection.used < kBufferBytes;
      connection.answer_due = false;
      if (!request.keep_alive) return send_all(fd, answers.close) && false;
      if (!send_all(fd, request.http_10 ? answers.keep_alive_10 : answers.keep_alive)) return false;
    }
    const std::string_view input{connection.buffer.data(), connection.used};
    const std::size_t end = input.find("\r\n\r\n");
    if (end == std::string_view::npos) return connection.used < kBufferBytes;
    connection.request = parse_head(input.substr(0, end + 4));
    connection.body_to_skip = connection.request.chunked ? 0 : connection.request.content_length;
    connection.last_chunk_seen = false;
    connection.answer_due = true;
    consume(connection, end + 4);
  }
}

/// Reads once and answers. False when the connection is to be closed.
bool serve(int fd, Connection& connection, const Answers& answers) {
  const ssize_t got = recv(fd, connection.buffer.data() + connection.used, kBufferBytes - connection.used, 0);
  if (got < 0) return errno == EAGAIN;
  if (got == 0) return false;
  connection.used += static_cast<std::size_t>(got);
  return answer_requests(fd, connection, answers);
}

int listen_on(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // accepted sockets inherit it: no call per connection
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0) fail("bind");
  if (listen(fd, SOMAXCONN) != 0) fail("listen");
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  std::fprintf(stderr, "Listening on port: %d\n", ntohs(address.sin_port));
  return fd;
}

void add_to(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
}

[[noreturn]] void run(int listener, const Answers& answers) {
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  add_to(epoll, listener);
  std::vector<std::unique_ptr<Connection>> connections;  // by descriptor; kept for the next connection with that number
  std::array<epoll_event, kEventsPerWait> events;
  while (true) {
    const int count = epoll_wait(epoll, events.data(), kEventsPerWait, -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      if (fd != listener) {
        if (!serve(fd, *connections[static_cast<std::size_t>(fd)], answers)) close(fd);
        continue;
      }
      const int client = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (client < 0) continue;
      const auto slot = static_cast<std::size_t>(client);
      if (slot >= connections.size()) connections.resize(slot + 1);
      if (!connections[slot]) connections[slot] = std::make_unique<Connection>();
      connections[slot]->used = 0;
      connections[slot]->answer_due = false;
      add_to(epoll, client);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int port = 0;
  std::size_t body_bytes = kGreeting.size();
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 < argc && name == "--port") {
      port = std::atoi(argv[i + 1]);
    } else if (i + 1 < argc && name == "--body") {
      body_bytes = std::strtoul(argv[i + 1], nullptr, 10);
    } else {
      std::fputs("usage: epoll_hello [--port N] [--body BYTES]\n", stderr);
      return 64;
    }
  }
  if (body_bytes > kMaxBodyBytes || port < 0 || port > 65535) {
    std::fprintf(stderr, "epoll_hello: --body is at most %zu, --port at most 65535\n", kMaxBodyBytes);
    return 64;
  }
  run(listen_on(port), make_answers(body_bytes));
}
