// A load client on raw epoll: closed loop, one thread, hand-written parser. It is the cheapest client we can write, so
// it shows what a server can do, and how much fbench may cost.
//
//   epoll_client [-c CONNECTIONS] [-n REQUESTS] [-k] [-p BODY_FILE] [-T CONTENT_TYPE] http://127.0.0.1:PORT/PATH
//
// Prints one line of name=value pairs; exit 1 when a request failed, was answered with another status than 2xx, or
// nothing came for 10 s. The request is HTTP/1.1; without -k it says "Connection: close" and waits for the server to
// close, as ab does.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeadBytes = 8 * 1024;  // the longest answer head; bodies of any length are counted, not kept
constexpr std::size_t kReadBytes = 64 * 1024;
constexpr int kEventsPerWait = 128;         // as the server's
constexpr int kStallMilliseconds = 10'000;  // a server that says nothing for so long is broken

struct Options {
  int connections = 1;
  long requests = 1;
  bool keep_alive = false;
  std::string body_file;
  std::string content_type = "text/plain";
  sockaddr_in address{};
  std::string path;
};

struct Connection {
  int fd = -1;
  std::size_t sent = 0;
  bool connecting = false;
  bool head_done = false;
  std::size_t body_left = 0;
  std::string head;
  Clock::time_point started;
};

struct Totals {
  long started = 0;
  long done = 0;
  long failed = 0;
  long non_2xx = 0;
  std::vector<float> latencies_us;
};

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(71);
}

[[noreturn]] void usage() {
  std::fputs("usage: epoll_client [-c N] [-n N] [-k] [-p FILE] [-T TYPE] http://A.B.C.D:PORT/PATH\n", stderr);
  std::exit(64);
}

/// Splits http://A.B.C.D:PORT/PATH. Names are not looked up: this client is for loopback.
void parse_url(std::string_view url, Options& options) {
  constexpr std::string_view kScheme = "http://";
  const std::size_t colon = url.find(':', kScheme.size());
  const std::size_t slash = url.find('/', kScheme.size());
  if (url.substr(0, kScheme.size()) != kScheme || colon == url.npos || slash == url.npos || colon > slash) usage();
  const std::string host{url.substr(kScheme.size(), colon - kScheme.size())};
  options.address.sin_family = AF_INET;
  options.address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(url.data() + colon + 1)));
  if (inet_pton(AF_INET, host.c_str(), &options.address.sin_addr) != 1) usage();
  options.path = url.substr(slash);
}

Options parse_options(int argc, char** argv) {
  Options options;
  for (int letter = 0; (letter = getopt(argc, argv, "c:n:kp:T:")) != -1;) {
    switch (letter) {
      case 'c':
        options.connections = std::atoi(optarg);
        break;
      case 'n':
        options.requests = std::atol(optarg);
        break;
      case 'k':
        options.keep_alive = true;
        break;
      case 'p':
        options.body_file = optarg;
        break;
      case 'T':
        options.content_type = optarg;
        break;
      default:
        usage();
    }
  }
  if (optind + 1 != argc || options.connections < 1 || options.connections > 10'000 || options.requests < 1) usage();
  parse_url(argv[optind], options);
  return options;
}

std::string make_request(const Options& options) {
  std::string body;
  if (!options.body_file.empty()) {
    std::ifstream file{options.body_file, std::ios::binary};
    if (!file) fail(options.body_file.c_str());
    body.assign(std::istreambuf_iterator<char>{file}, {});
  }
  std::string request =
      (options.body_file.empty() ? "GET " : "POST ") + options.path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  if (!options.keep_alive) request += "Connection: close\r\n";
  if (!options.body_file.empty()) {
    request += "Content-Length: " + std::to_string(body.size()) + "\r\nContent-Type: " + options.content_type + "\r\n";
  }
  return request + "User-Agent: epoll_client\r\nAccept: */*\r\n\r\n" + body;
}

std::size_t content_length_of(std::string_view head) {
  constexpr std::string_view kName = "\ncontent-length:";
  for (std::size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1)) {
    if (head.size() - at > kName.size() && strncasecmp(head.data() + at, kName.data(), kName.size()) == 0)
      return std::strtoul(head.data() + at + kName.size(), nullptr, 10);
  }
  return 0;
}

/// The load: every connection has one request in flight until all have been started.
class Load {
 public:
  Load(const Options& options, std::string request)
      : options_{options}, request_{std::move(request)}, epoll_{epoll_create1(EPOLL_CLOEXEC)} {
    totals_.latencies_us.reserve(static_cast<std::size_t>(options.requests));
  }

  Totals run() {
    connections_.resize(static_cast<std::size_t>(std::min<long>(options_.connections, options_.requests)));
    for (Connection& connection : connections_) begin(connection);
    std::array<epoll_event, kEventsPerWait> events;
    while (totals_.done + totals_.failed < options_.requests) {
      const int count = epoll_wait(epoll_, events.data(), kEventsPerWait, kStallMilliseconds);
      if (count == 0) {
        std::fputs("epoll_client: nothing came for 10 s\n", stderr);
        totals_.failed = options_.requests - totals_.done;
      }
      for (int i = 0; i < count; ++i) {
        auto& connection = *static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr);
        if (connection.connecting || connection.sent < request_.size()) {
          write_request(connection);
        } else {
          read_answer(connection);
        }
      }
    }
    return std::move(totals_);
  }

 private:
  /// Starts the next request, on the open connection if there is one.
  void begin(Connection& connection) {
    if (totals_.started == options_.requests) {
      drop(connection);
      return;
    }
    ++totals_.started;
    connection.sent = connection.body_left = 0;
    connection.head_done = false;
    connection.head.clear();
    connection.started = Clock::now();
    if (connection.fd < 0) {
      open(connection);
    } else {
      write_request(connection);
    }
  }

  void open(Connection& connection) {
    connection.fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection.fd < 0) fail("socket");
    const int on = 1;
    setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto* address = reinterpret_cast<const sockaddr*>(&options_.address);
    if (connect(connection.fd, address, sizeof options_.address) != 0 && errno != EINPROGRESS) fail("connect");
    connection.connecting = true;
    watch(connection, EPOLL_CTL_ADD, EPOLLOUT);
  }

  void watch(Connection& connection, int operation, std::uint32_t events) {
    epoll_event event{};
    event.events = events;
    event.data.ptr = &connection;
    if (epoll_ctl(epoll_, operation, connection.fd, &event) != 0) fail("epoll_ctl");
  }

  void write_request(Connection& connection) {
    const ssize_t sent =
        send(connection.fd, request_.data() + connection.sent, request_.size() - connection.sent, MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN) return give_up(connection);
    connection.sent += sent > 0 ? static_cast<std::size_t>(sent) : 0;
    const bool whole = connection.sent == request_.size();
    if (whole && connection.connecting) watch(connection, EPOLL_CTL_MOD, EPOLLIN);
    if (!whole && !connection.connecting) watch(connection, EPOLL_CTL_MOD, EPOLLOUT);
    connection.connecting = !whole;
  }

  void read_answer(Connection& connection) {
    const ssize_t got = recv(connection.fd, read_buffer_.data(), read_buffer_.size(), 0);
    if (got < 0 && errno == EAGAIN) return;
    const bool answered = connection.head_done && connection.body_left == 0;
    if (got < 0 || (got == 0 && !answered)) return give_up(connection);
    if (got == 0) return finish(connection);
    if (!take_bytes(connection, {read_buffer_.data(), static_cast<std::size_t>(got)})) return give_up(connection);
    if (options_.keep_alive && connection.head_done && connection.body_left == 0) finish(connection);
  }

  /// False when the bytes cannot belong to the answer.
  bool take_bytes(Connection& connection, std::string_view bytes) {
    if (!connection.head_done) {
      connection.head.append(bytes);
      const std::size_t end = connection.head.find("\r\n\r\n");
      if (end == std::string::npos) return connection.head.size() < kHeadBytes;
      connection.head_done = true;
      connection.body_left = content_length_of(std::string_view{connection.head}.substr(0, end + 2));
      bytes = std::string_view{connection.head}.substr(end + 4);
    }
    if (bytes.size() > connection.body_left) return false;
    connection.body_left -= bytes.size();
    return true;
  }

  void finish(Connection& connection) {
    ++totals_.done;
    if (connection.head.size() < 10 || connection.head[9] != '2') ++totals_.non_2xx;
    totals_.latencies_us.push_back(std::chrono::duration<float, std::micro>(Clock::now() - connection.started).count());
    if (!options_.keep_alive) drop(connection);
    begin(connection);
  }

  void give_up(Connection& connection) {
    ++totals_.failed;
    drop(connection);
    begin(connection);
  }

  static void drop(Connection& connection) {
    if (connection.fd >= 0) close(connection.fd);
    connection.fd = -1;
    connection.connecting = false;
  }

  const Options& options_;
  std::string request_;
  int epoll_;
  Totals totals_;
  std::vector<Connection> connections_;
  std::array<char, kReadBytes> read_buffer_;
};

double cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto us = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
  };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

float percentile(std::vector<float>& values, double fraction) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  Load load{options, make_request(options)};
  const double cpu_before = cpu_us();
  const auto start = Clock::now();
  Totals totals = load.run();
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const double cpu = cpu_us() - cpu_before;
  std::printf("rps=%.1f cpu_us=%.3f done=%ld failed=%ld non_2xx=%ld p50_us=%.1f p99_us=%.1f\n",
              static_cast<double>(totals.done) / seconds, cpu / static_cast<double>(std::max(totals.done, 1L)),
              totals.done, totals.failed, totals.non_2xx, static_cast<double>(percentile(totals.latencies_us, 0.5)),
              static_cast<double>(percentile(totals.latencies_us, 0.99)));
  return totals.failed == 0 && totals.non_2xx == 0 ? 0 : 1;
}
