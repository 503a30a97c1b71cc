// mode=http: start, readiness, several processes, connections that are kept, and the end.

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "tests/e2e/http_function.hpp"
#include "tests/support/temporary_folder.hpp"

namespace fwd::test {
namespace {

constexpr std::string_view kListening = "Listening on port: ";

/// The port of a watchdog that is not ready yet.
std::uint16_t port_of(const WatchdogProcess& watchdog) {
  EXPECT_TRUE(watchdog.wait_for_line(kListening)) << watchdog.log();
  const std::string log = watchdog.log();
  return static_cast<std::uint16_t>(std::stoul(log.substr(log.find(kListening) + kListening.size())));
}

/// What `/pid` says: the process, its PORT, and which of its connections this is.
struct Told {
  std::string pid;
  std::string port;
  int connection = 0;
};

Told tell(HttpClient& client) {
  Told told;
  const auto answer = client.ask("GET", "/pid");
  EXPECT_TRUE(answer) << client.last_error();
  if (answer) std::istringstream(answer->body) >> told.pid >> told.port >> told.connection;
  return told;
}

/// Waits until every one of `count` processes has answered.
std::set<std::string> see_all(const WatchdogProcess& watchdog, std::size_t count) {
  std::set<std::string> pids;
  wait_until([&watchdog, &pids, count] {
    HttpClient client(watchdog.port());
    pids.insert(tell(client).pid);
    return pids.size() == count;
  });
  return pids;
}

TEST(http_life, requests_that_come_before_the_function_listens_wait_for_it) {
  const TemporaryFolder folder;
  WatchdogOptions options = http_function({{"max_queue", "1"}}, {folder / "gate"});
  options.expect_ready = false;
  const WatchdogProcess watchdog(options);
  const std::uint16_t port = port_of(watchdog);
  ASSERT_TRUE(watchdog.wait_for_line("waiting for the gate")) << watchdog.log();
  HttpClient early(port), late(port);
  ASSERT_TRUE(early.send(render_request("POST", "/echo", "early")));
  EXPECT_EQ(request(port, "GET", "/_/ready").status, 503);
  folder.write("gate", "");
  const auto answer = early.find_answer();
  ASSERT_TRUE(answer) << early.last_error() << watchdog.log();
  EXPECT_EQ(answer->body, "early");
  EXPECT_TRUE(wait_until([port] { return request(port, "GET", "/_/ready").status == 200; })) << watchdog.log();
}

TEST(http_life, requests_wait_while_the_function_is_started_again_and_no_longer_than_they_may) {
  const TemporaryFolder folder;
  folder.write("gate", "");
  const WatchdogProcess watchdog(http_function({{"max_queue_wait", "700ms"}}, {folder / "gate"}));
  std::filesystem::remove(folder / "gate");
  expect_own_answer(request(watchdog.port(), "POST", "/exit?1"), 502);
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").status, 503);
  const HttpAnswer refused = request(watchdog.port(), "POST", "/echo", "too long");
  expect_own_answer(refused, 503);
  EXPECT_TRUE(refused.header("Retry-After"));
  HttpClient impatient(watchdog.port());
  ASSERT_TRUE(impatient.send(render_request("GET", "/echo", {}, {{"X-Timeout", "50ms"}})));
  const auto late = impatient.find_answer();
  ASSERT_TRUE(late) << impatient.last_error();
  expect_own_answer(*late, 504);
  HttpClient waiting(watchdog.port());
  ASSERT_TRUE(waiting.send(render_request("POST", "/echo", "in time")));
  folder.write("gate", "");
  const auto answer = waiting.find_answer();
  ASSERT_TRUE(answer) << waiting.last_error() << watchdog.log();
  EXPECT_EQ(answer->body, "in time");
}

TEST(http_life, a_client_that_leaves_the_queue_is_not_served) {
  const TemporaryFolder folder;
  WatchdogOptions options = http_function({}, {folder / "gate"});
  options.expect_ready = false;
  const WatchdogProcess watchdog(options);
  const std::uint16_t port = port_of(watchdog);
  HttpClient client(port);
  ASSERT_TRUE(client.send(render_request("GET", "/hang")));
  for (int round = 0; round < 2; ++round) EXPECT_EQ(request(port, "GET", "/_/ready").status, 503);
  client.reset();
  EXPECT_TRUE(watchdog.wait_for_line("GET /hang")) << watchdog.log();
  folder.write("gate", "");
  EXPECT_EQ(request(port, "POST", "/echo", "next").body, "next");
  EXPECT_EQ(watchdog.count_lines("hanging"), 0U) << watchdog.log();
}

TEST(http_life, a_client_that_leaves_while_no_connection_can_be_made_is_not_served) {
  WatchdogOptions options = http_function();
  options.function = {"python3", "-c", R"(import signal, socket, sys
deaf = socket.socket()
deaf.bind(("127.0.0.1", int(sys.argv[1])))
deaf.listen(0)  # room for one: the watchdog's look whether somebody listens
signal.pause()
)", "{port}"};
  const WatchdogProcess watchdog(options);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/deaf")));
  for (int round = 0; round < 2; ++round) EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").status, 200);
  client.reset();
  EXPECT_TRUE(watchdog.wait_for_line("GET /deaf")) << watchdog.log();
}

TEST(http_life, nobody_waits_for_a_function_that_is_not_started_again) {
  const TemporaryFolder folder;
  WatchdogOptions options = http_function({{"on_function_exit", "exit"}, {"max_queue_wait", "0"}});
  options.function = {"sh", "-c", "until [ -e \"$0\" ]; do sleep 0.01; done; exit 9", folder / "gate"};
  options.expect_ready = false;
  WatchdogProcess watchdog(options);
  HttpClient waiting(port_of(watchdog), milliseconds(15'000));  // half of what the request and the drain may take
  ASSERT_TRUE(waiting.send(render_request("POST", "/echo", "in vain")));
  for (int round = 0; round < 2; ++round) EXPECT_EQ(request(port_of(watchdog), "GET", "/_/ready").status, 503);
  folder.write("gate", "");
  const auto answer = waiting.find_answer();
  ASSERT_TRUE(answer) << waiting.last_error() << watchdog.log();
  expect_own_answer(*answer, 503);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 9) << watchdog.log();
}

TEST(http_life, a_connection_is_used_again) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  const Told first = tell(client);
  EXPECT_EQ(tell(client).connection, first.connection) << watchdog.log();
  const std::string gate = path_in(watchdog, "gate");
  HttpClient other(watchdog.port());
  ASSERT_TRUE(other.send(render_request("GET", "/hold?" + gate)));
  ASSERT_TRUE(watchdog.wait_for_line("holding"));
  EXPECT_NE(tell(client).connection, first.connection) << "two requests shared a connection";
  touch(gate);
  EXPECT_TRUE(other.find_answer()) << other.last_error();
}

TEST(http_life, the_function_knows_its_port) {
  const WatchdogProcess watchdog(http_function());
  HttpClient client(watchdog.port());
  EXPECT_GT(std::stoi(tell(client).port), 1023);
  const WatchdogProcess local(http_function({{"upstream_url", "unix:{socket}"}, {"PORT", "1"}}));
  HttpClient over_socket(local.port());
  EXPECT_EQ(tell(over_socket).port, "none");
}

TEST(http_life, several_processes_share_the_requests) {
  for (const char* url : {"http://127.0.0.1:{port}", "unix:{socket}"}) {
    const WatchdogProcess watchdog(http_function({{"upstream_url", url}, {"http_workers", "3"}}));
    EXPECT_EQ(see_all(watchdog, 3).size(), 3U) << url << watchdog.log();

    // The least busy is asked: with two of three held, all that follows goes to the third.
    const std::string gate = path_in(watchdog, "gate");
    HttpClient held[2] = {HttpClient(watchdog.port()), HttpClient(watchdog.port())};
    for (HttpClient& each : held) ASSERT_TRUE(each.send(render_request("GET", "/hold?" + gate)));
    ASSERT_TRUE(wait_until([&watchdog] { return watchdog.count_lines("holding") == 2; })) << watchdog.log();
    std::set<std::string> others;
    HttpClient client(watchdog.port());
    for (int i = 0; i < 6; ++i) others.insert(tell(client).pid);
    EXPECT_EQ(others.size(), 1U) << url;
    touch(gate);
    for (HttpClient& each : held) {
      const auto answer = each.find_answer();
      ASSERT_TRUE(answer) << each.last_error();
      EXPECT_EQ(others.count(answer->body), 0U);
    }
  }
}

TEST(http_life, one_process_of_several_may_end) {
  const WatchdogProcess watchdog(http_function({{"http_workers", "2"}}));
  ASSERT_EQ(see_all(watchdog, 2).size(), 2U) << watchdog.log();
  expect_own_answer(request(watchdog.port(), "POST", "/exit?1"), 502);
  EXPECT_EQ(request(watchdog.port(), "GET", "/_/ready").status, 200) << "the other one still serves";
  for (int i = 0; i < 10; ++i) EXPECT_EQ(request(watchdog.port(), "POST", "/echo", "x").body, "x");
  EXPECT_TRUE(wait_until([&watchdog] { return watchdog.count_lines("serving") == 3; })) << watchdog.log();
}

TEST(http_life, the_folder_of_the_sockets_is_private_and_goes_at_the_end) {
  WatchdogProcess watchdog(http_function({{"upstream_url", "unix:{socket}"}, {"healthcheck_interval", "0"}}));
  std::filesystem::path sockets;
  for (const auto& entry : std::filesystem::directory_iterator(watchdog.folder()))
    if (entry.path().filename().string().starts_with("fwatchdog-")) sockets = entry.path();
  ASSERT_FALSE(sockets.empty());
  EXPECT_EQ(std::filesystem::status(sockets).permissions(), std::filesystem::perms::owner_all);
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 0) << watchdog.log();
  EXPECT_FALSE(std::filesystem::exists(sockets));
}

TEST(http_life, several_processes_need_a_place_each) {
  WatchdogOptions options = http_function({{"upstream_url", "http://127.0.0.1:5000"}, {"http_workers", "2"}});
  options.expect_ready = false;
  WatchdogProcess watchdog(options);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 64);
  EXPECT_TRUE(watchdog.wait_for_line("{port}")) << watchdog.log();
}

TEST(http_life, a_url_that_cannot_be_is_a_usage_error) {
  for (const char* url : {"https://127.0.0.1:5000", "127.0.0.1:5000", "http://127.0.0.1:0"}) {
    WatchdogOptions options = http_function({{"upstream_url", url}});
    options.expect_ready = false;
    WatchdogProcess watchdog(options);
    EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 64) << url;
    EXPECT_TRUE(watchdog.wait_for_line("upstream_url")) << watchdog.log();
  }
}

TEST(http_life, a_drain_lets_the_function_finish_and_then_ends_it) {
  WatchdogProcess watchdog(http_function({{"healthcheck_interval", "0"}}));
  const std::string gate = path_in(watchdog, "gate");
  const auto children = watchdog.children();
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("GET", "/hold?" + gate)));
  ASSERT_TRUE(watchdog.wait_for_line("holding"));
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(watchdog.wait_for_line("draining")) << watchdog.log();
  touch(gate);
  const auto answer = client.find_answer();
  ASSERT_TRUE(answer) << client.last_error() << watchdog.log();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 0) << watchdog.log();
  for (const pid_t pid : children) EXPECT_FALSE(is_running(pid));
  EXPECT_EQ(watchdog.count_lines("Forked function has terminated"), 0U) << watchdog.log();
}

/// http_function.py behind a shell.
WatchdogOptions through_shell(const std::string& script, Variables variables) {
  WatchdogOptions options = http_function(std::move(variables));
  options.function = {"sh", "-c", script, SOURCE_DIR "/tests/programs/http_function.py", "{port}"};
  return options;
}

TEST(http_life, a_function_that_ignores_term_is_killed_when_its_time_is_up) {
  WatchdogProcess watchdog(through_shell("trap '' TERM; exec python3 $0 $1",
                                         {{"healthcheck_interval", "0"}, {"shutdown_timeout", "500ms"}}));
  const auto children = watchdog.children();
  ASSERT_EQ(children.size(), 1U);
  watchdog.signal(SIGTERM);
  EXPECT_TRUE(watchdog.wait_exit(milliseconds(10'000))) << watchdog.log();
  EXPECT_FALSE(is_running(children[0]));
}

TEST(http_life, what_a_function_has_started_ends_with_it) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    WatchdogProcess watchdog(through_shell("python3 $0 $1 & wait", {{"healthcheck_interval", "0"}}));
    HttpClient client(watchdog.port());
    const std::string grandchild = tell(client).pid;
    const auto children = watchdog.children();
    ASSERT_EQ(children.size(), 1U);
    ASSERT_NE(std::to_string(children[0]), grandchild);
    if (signal == SIGKILL) {
      ASSERT_EQ(::kill(children[0], signal), 0);
      ASSERT_TRUE(watchdog.wait_for_line("Forked function has terminated: signal: killed")) << watchdog.log();
    } else {
      watchdog.signal(signal);
      EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 0) << watchdog.log();
    }
    EXPECT_TRUE(wait_until([&grandchild] { return !is_running(std::stoi(grandchild)); }));
  }
}

}  // namespace
}  // namespace fwd::test
