// ready_path, one_shot, bind_address, metrics_path: what the watchdog answers and does by itself.

#include <arpa/inet.h>
#include <future>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <string>
#include <sys/socket.h>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

constexpr milliseconds kEnding{15'000};

int ready(const WatchdogProcess& watchdog) {
  return request(watchdog.port(), "GET", "/_/ready").status;
}
int health(const WatchdogProcess& watchdog) {
  return request(watchdog.port(), "GET", "/_/health").status;
}

TEST(ready_path, the_function_is_asked_with_the_clients_fields_and_its_answer_goes_through) {
  WatchdogProcess watchdog(misbehave({{"ready_path", "/echo-head?deep=1"}}));
  const HttpAnswer answer = request(watchdog.port(), "GET", "/_/ready", "",
                                    {{"X-Mine", "1"}, {"Connection", "X-Hop"}, {"X-Hop", "1"}, {"X-Call-Id", "c"}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body.starts_with("GET /echo-head?deep=1 HTTP/1.1\r\nHost: ")) << answer.body;
  EXPECT_NE(answer.body.find("\r\nContent-Length: 0\r\n"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("\r\nX-Mine: 1\r\n"), std::string::npos) << answer.body;
  EXPECT_NE(answer.body.find("\r\nX-Call-Id: c\r\n"), std::string::npos) << answer.body;
  EXPECT_EQ(answer.body.find("X-Hop"), std::string::npos) << answer.body;
}

TEST(ready_path, a_body_of_the_probe_stays_with_us) {
  WatchdogProcess watchdog(misbehave({{"ready_path", "/echo-head"}}));
  HttpClient client(watchdog.port());
  const auto answer = client.ask("GET", "/_/ready", "a body");
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_NE(answer->body.find("\r\nContent-Length: 0\r\n"), std::string::npos) << answer->body;
  const auto next = client.ask("POST", "/", "the next one");
  ASSERT_TRUE(next) << client.last_error();
  EXPECT_EQ(next->body, "the next one");
}

TEST(ready_path, what_the_function_says_counts) {
  WatchdogOptions options = misbehave({{"ready_path", "/status-500"}});
  options.expect_ready = false;
  WatchdogProcess watchdog(options);
  ASSERT_TRUE(watchdog.wait_for_line("Listening on port: "));
  std::uint16_t port = 0;
  for (const std::string& line : watchdog.lines())
    if (const auto at = line.find("port: "); at != std::string::npos)
      port = static_cast<std::uint16_t>(std::stoul(line.substr(at + 6)));
  EXPECT_TRUE(wait_until([port] { return request(port, "GET", "/_/health").status == 200; }));
  EXPECT_EQ(request(port, "GET", "/_/ready").status, 500);
  EXPECT_EQ(request(port, "POST", "/", "x").status, 200) << "the function itself goes on";
}

TEST(ready_path, a_function_that_breaks_is_a_502_and_leaves_no_line) {
  WatchdogOptions options = misbehave({{"ready_path", "/sleep?ms=0"}});
  WatchdogProcess watchdog(options);
  EXPECT_EQ(ready(watchdog), 200);
  EXPECT_EQ(request(watchdog.port(), "POST", "/_/ready", "x").status, 405);
  EXPECT_EQ(request(watchdog.port(), "HEAD", "/_/ready").status, 405);
  (void)post(watchdog, "/seen");
  ASSERT_TRUE(watchdog.wait_for_line("POST /seen"));
  EXPECT_EQ(watchdog.count_lines("/_/ready"), 0U) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("GET /sleep"), 0U) << watchdog.log();
}

TEST(ready_path, the_limit_and_the_end_come_first) {
  WatchdogProcess watchdog(misbehave(
      {{"ready_path", "/echo"}, {"max_inflight", "1"}, {"healthcheck_interval", "60s"}, {"shutdown_timeout", "120s"}}));
  EXPECT_EQ(ready(watchdog), 200) << "a probe takes no place: nobody else is there";
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  const HttpAnswer full = request(watchdog.port(), "GET", "/_/ready");
  EXPECT_EQ(full.status, 429);
  EXPECT_EQ(full.body, "");
  gate.open();
  EXPECT_EQ(held.get().status, 200);
  watchdog.signal(SIGTERM);
  EXPECT_TRUE(wait_until([&] { return ready(watchdog) == 503; }));
}

TEST(one_shot, serves_one_request_then_drains_and_ends) {
  WatchdogProcess watchdog(misbehave({{"one_shot", "true"}, {"healthcheck_interval", "60s"}}));
  EXPECT_EQ(health(watchdog), 200) << "probes are no requests";
  const auto workers = watchdog.children();
  HttpClient client(watchdog.port());
  const auto answer = client.ask("POST", "/echo", "the only one");
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "the only one");
  EXPECT_EQ(answer->header("Connection"), "close");
  EXPECT_TRUE(client.closed_by_peer());
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("Exiting. Active connections: ")) << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("one_shot: no new connections"), 1U) << watchdog.log();
  for (const pid_t pid : workers) EXPECT_FALSE(is_running(pid));
  EXPECT_FALSE(std::filesystem::exists(watchdog.folder() / ".lock"));
}

TEST(one_shot, a_second_request_is_turned_away_while_the_first_is_served) {
  WatchdogProcess watchdog(misbehave({{"one_shot", "1"}, {"max_inflight", "1"}}));
  const Gate gate(watchdog);
  auto held = std::async(std::launch::async, [&] { return post(watchdog, "/wait", gate.path()); });
  ASSERT_TRUE(watchdog.wait_for_line("begun /wait"));
  const HttpAnswer second = post(watchdog, "/echo", "too late");
  expect_own_error(second, 503);
  EXPECT_EQ(second.body, "watchdog is draining after serving a request\n");
  EXPECT_TRUE(second.header("Retry-After"));
  EXPECT_EQ(second.header("Connection"), "close");
  EXPECT_EQ(health(watchdog), 503);
  EXPECT_EQ(ready(watchdog), 503);
  gate.open();
  EXPECT_EQ(held.get().body, "finished");
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
}

TEST(one_shot, a_request_that_fails_was_served_too_and_one_that_is_none_was_not) {
  WatchdogProcess watchdog(misbehave({{"one_shot", "true"}}));
  HttpClient garbage(watchdog.port());
  ASSERT_TRUE(garbage.send("no request at all\r\n\r\n"));
  const auto refused = garbage.find_answer();
  ASSERT_TRUE(refused) << garbage.last_error();
  EXPECT_EQ(refused->status, 400);
  EXPECT_EQ(post(watchdog, "/exit-before-answer").status, 502);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 0) << watchdog.log();
}

/// True if somebody accepts connections to `address`.
bool can_connect(const std::string& address, std::uint16_t port) {
  sockaddr_storage storage{};
  auto* four = reinterpret_cast<sockaddr_in*>(&storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&storage);
  const bool is_four = inet_pton(AF_INET, address.c_str(), &four->sin_addr) == 1;
  if (is_four) {
    four->sin_family = AF_INET;
    four->sin_port = htons(port);
  } else {
    EXPECT_EQ(inet_pton(AF_INET6, address.c_str(), &six->sin6_addr), 1);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(port);
  }
  const int fd = ::socket(storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  const socklen_t size = is_four ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const bool connected = ::connect(fd, reinterpret_cast<const sockaddr*>(&storage), size) == 0;
  ::close(fd);
  return connected;
}

TEST(bind_address, left_alone_it_is_every_address) {
  WatchdogProcess watchdog(misbehave());
  EXPECT_TRUE(can_connect("127.0.0.1", watchdog.port()));
  EXPECT_TRUE(can_connect("127.0.0.2", watchdog.port()));
}

TEST(bind_address, only_that_address_is_listened_on_for_metrics_too) {
  std::string free_port;
  {
    const WatchdogProcess other(misbehave());
    free_port = std::to_string(other.port());
  }
  WatchdogProcess watchdog(misbehave({{"bind_address", "127.0.0.1"}, {"metrics_port", free_port}}));
  const auto metrics_port = static_cast<std::uint16_t>(std::stoul(free_port));
  EXPECT_TRUE(can_connect("127.0.0.1", watchdog.port()));
  EXPECT_FALSE(can_connect("127.0.0.2", watchdog.port()));
  EXPECT_TRUE(can_connect("127.0.0.1", metrics_port));
  EXPECT_FALSE(can_connect("127.0.0.2", metrics_port));
}

TEST(bind_address, may_be_of_ipv6) {
  WatchdogOptions options = misbehave({{"bind_address", "::1"}});
  options.expect_ready = false;  // the test's clients speak IPv4
  WatchdogProcess watchdog(options);
  if (!watchdog.wait_for_line("Listening on port: ")) {
    if (watchdog.wait_exit(milliseconds(0)) == 71) GTEST_SKIP() << "no IPv6 here: " << watchdog.log();
    FAIL() << watchdog.log();
  }
  std::uint16_t port = 0;
  for (const std::string& line : watchdog.lines())
    if (const auto at = line.find("port: "); at != std::string::npos)
      port = static_cast<std::uint16_t>(std::stoul(line.substr(at + 6)));
  EXPECT_TRUE(can_connect("::1", port));
  EXPECT_FALSE(can_connect("127.0.0.1", port));
}

TEST(bind_address, one_that_is_not_ours_ends_the_start) {
  WatchdogOptions options = misbehave({{"bind_address", "192.0.2.1"}});
  options.expect_ready = false;
  WatchdogProcess watchdog(options);
  EXPECT_EQ(watchdog.wait_exit(kEnding), 71) << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("Error ListenAndServe: listen tcp 192.0.2.1:0: bind: ")) << watchdog.log();
}

}  // namespace
}  // namespace fwd::test
