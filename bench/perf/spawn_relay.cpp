// An HTTP server that starts a program for every request and relays: the body to its stdin, its stdout to the client,
// with posix_spawn, poll, and read and write of 64 KiB. One request at a time. It is the price of a process on this
// machine, and of moving bytes through it; the modes of fwatchdog with a process per request are measured as a ratio to
// it.
//
//   spawn_relay PROGRAM [ARGUMENT...]      prints "Listening on port: N" on stderr; 127.0.0.1 only; ends by SIGTERM
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ;

namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;  // a pipe's capacity: pipe(7)
constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n";  // the body ends where the connection does

struct Child {
  pid_t pid = -1;
  int stdin_fd = -1;
  int stdout_fd = -1;
};

/// Bytes on their way to a descriptor.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::array<char, kPieceBytes> bytes;

  bool empty() const { return begin == end; }
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(71);
}

Child start(char** argv) {
  std::array<int, 2> in{};
  std::array<int, 2> out{};
  if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(out.data(), O_CLOEXEC) != 0) fail("pipe2");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  Child child{.stdin_fd = in[1], .stdout_fd = out[0]};
  if (posix_spawnp(&child.pid, argv[0], &actions, nullptr, argv, environ) != 0) fail(argv[0]);
  posix_spawn_file_actions_destroy(&actions);
  close(in[0]);
  close(out[1]);
  fcntl(child.stdin_fd, F_SETFL, O_NONBLOCK);
  return child;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// Moves the body to the child and its output to the client, whichever is ready, until the output ends.
/// `piece` holds the part of the body that came with the head; `body_left` counts what is still to come.
void relay(int client, Child& child, Piece& piece, std::size_t body_left) {
  static std::array<char, kPieceBytes> output;
  while (true) {
    if (child.stdin_fd >= 0 && piece.empty() && body_left == 0) close(std::exchange(child.stdin_fd, -1));
    const bool reads_body = child.stdin_fd >= 0 && piece.empty();
    std::array<pollfd, 3> ready{{{.fd = child.stdout_fd, .events = POLLIN, .revents = 0},
                                 {.fd = reads_body ? client : -1, .events = POLLIN, .revents = 0},
                                 {.fd = piece.empty() ? -1 : child.stdin_fd, .events = POLLOUT, .revents = 0}}};
    if (poll(ready.data(), ready.size(), -1) < 0) fail("poll");
    if (ready[1].revents != 0) {
      const ssize_t got = recv(client, piece.bytes.data(), std::min(kPieceBytes, body_left), 0);
      if (got <= 0) return;
      piece.begin = 0;
      piece.end = static_cast<std::size_t>(got);
      body_left -= piece.end;
    }
    if (!piece.empty() && (ready[1].revents != 0 || ready[2].revents != 0)) {
      const ssize_t put = write(child.stdin_fd, piece.bytes.data() + piece.begin, piece.end - piece.begin);
      if (put < 0 && errno != EAGAIN) return;
      if (put > 0) piece.begin += static_cast<std::size_t>(put);
    }
    if (ready[0].revents != 0) {
      const ssize_t got = read(child.stdout_fd, output.data(), output.size());
      if (got <= 0 || !write_all(client, {output.data(), static_cast<std::size_t>(got)})) return;
    }
  }
}

std::size_t content_length_of(std::string_view head) {
  constexpr std::string_view kName = "\r\ncontent-length:";
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at + 2)) {
    if (head.size() - at > kName.size() && strncasecmp(head.data() + at, kName.data(), kName.size()) == 0)
      return std::strtoul(head.data() + at + kName.size(), nullptr, 10);
  }
  return 0;
}

void serve(int client, char** argv) {
  static Piece piece;
  piece.begin = piece.end = 0;
  std::size_t head_end = std::string_view::npos;
  while (head_end == std::string_view::npos) {
    const ssize_t got = recv(client, piece.bytes.data() + piece.end, kPieceBytes - piece.end, 0);
    if (got <= 0) return;
    piece.end += static_cast<std::size_t>(got);
    head_end = std::string_view{piece.bytes.data(), piece.end}.find("\r\n\r\n");
  }
  const std::size_t length = content_length_of({piece.bytes.data(), head_end + 2});
  piece.begin = head_end + 4;
  Child child = start(argv);
  if (write_all(client, kHead)) relay(client, child, piece, length - std::min(length, piece.end - piece.begin));
  if (child.stdin_fd >= 0) close(child.stdin_fd);
  close(child.stdout_fd);
  waitpid(child.pid, nullptr, 0);
}

int listen_anywhere() {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) fail("socket");
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), length) != 0) fail("bind");
  if (listen(fd, SOMAXCONN) != 0) fail("listen");
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length);
  std::fprintf(stderr, "Listening on port: %d\n", ntohs(address.sin_port));
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: spawn_relay PROGRAM [ARGUMENT...]\n", stderr);
    return 64;
  }
  signal(SIGPIPE, SIG_IGN);  // a program that reads nothing is no fault
  const int listener = listen_anywhere();
  while (true) {
    const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    serve(client, argv + 1);
    close(client);
  }
}
