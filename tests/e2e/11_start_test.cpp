// From the command line to the first request: lines of the log, exit codes, ports.

#include <algorithm>
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/e2e/fragilities.hpp"

namespace fwd::test {
namespace {

/// Runs a watchdog that is not meant to serve: how it ends, and what it says.
void expect_ending(WatchdogOptions options, int code, const std::vector<std::string>& parts) {
  options.expect_ready = false;
  WatchdogProcess watchdog(std::move(options));
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), code) << watchdog.log();
  for (const std::string& part : parts)
    EXPECT_TRUE(watchdog.wait_for_line(part)) << part << "\nis not in\n" << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("Listening"), 0U) << watchdog.log();
}

/// Holds a port of all addresses.
class TakenPort {
 public:
  explicit TakenPort(std::uint16_t port = 0) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    taken_ = bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 && listen(socket_, 1) == 0;
    socklen_t size = sizeof address;
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    number_ = ntohs(address.sin_port);
  }
  ~TakenPort() { close(socket_); }
  TakenPort(const TakenPort&) = delete;
  TakenPort& operator=(const TakenPort&) = delete;

  bool ours() const { return taken_; }
  std::string number() const { return std::to_string(number_); }

 private:
  int socket_;
  bool taken_ = false;
  std::uint16_t number_ = 0;
};

TEST(start, the_log_begins_with_the_lines_of_the_contract_in_their_order) {
  WatchdogProcess watchdog(misbehave({{"metrics_port", ""},
                                      {"read_timeout", "11"},
                                      {"write_timeout", "1m30s"},
                                      {"exec_timeout", "1500ms"},
                                      {"healthcheck_interval", "2s"}}));
  const std::string program = compat_program("misbehave");
  const std::vector<std::string> expected = {
      "Version: ",
      "Forking: " + program + ", arguments: []",
      "Started logging: stderr from function.",
      "Watchdog mode: afterburn\tfprocess: \"" + program + "\"",
      "Timeouts: read: 11s write: 1m30s hard: 1.5s health: 2s",
      "Listening on port: " + std::to_string(watchdog.port()),
      "Writing lock-file to: " + (watchdog.folder() / ".lock").string(),
  };
  ASSERT_TRUE(watchdog.wait_for_line("Writing lock-file")) << watchdog.log();
  std::size_t at = 0;
  for (const std::string& line : watchdog.lines())
    if (at < expected.size() && line.size() > 20 && line.substr(20).starts_with(expected[at])) ++at;
  EXPECT_EQ(at, expected.size()) << "after \"" << (at > 0 ? expected[at - 1] : "") << "\" in\n" << watchdog.log();
  EXPECT_EQ(watchdog.lines().front().substr(20).find("Version: "), 0U) << watchdog.log();
  EXPECT_NE(watchdog.lines().front().find("\tSHA: "), std::string::npos) << watchdog.log();
}

TEST(start, the_command_of_the_seed_serves) {
  WatchdogProcess watchdog(
      {.environment = {
           {"mode", "afterburn"}, {"fast_fork", "1"}, {"fprocess", "python3 " + compat_script("old_python3.py")}}});
  expect_echo(watchdog);
  EXPECT_EQ(watchdog.children().size(), 1U);
}

TEST(start, flags_and_a_command_behind_two_dashes_serve) {
  WatchdogProcess watchdog({.function = {compat_program("misbehave")},
                            .environment = {{"mode", "streaming"}, {"afterburn_workers", "3"}},
                            .flags = {"--mode", "afterburn", "-afterburn-workers=2", "--exec_timeout=3s"}});
  expect_echo(watchdog);
  EXPECT_EQ(watchdog.children().size(), 2U);
  EXPECT_TRUE(watchdog.wait_for_line("hard: 3s")) << watchdog.log();
}

TEST(start, fprocess_is_split_as_a_shell_does) {
  WatchdogProcess watchdog(
      {.environment = {{"mode", "afterburn"},
                       {"afterburn_workers", "1"},
                       {"fprocess", "sh -c 'exec \"$0\"'  \"" + compat_program("misbehave") + "\""}}});
  expect_echo(watchdog);
}

TEST(start, version_is_told_in_every_spelling_and_needs_no_function) {
  for (const char* flag : {"-version", "--version"}) expect_ending({.flags = {flag}}, 0, {"Version: ", "\tSHA: "});
}

TEST(start, help_lists_the_options) {
  for (const char* flag : {"-h", "--help"})
    expect_ending({.flags = {flag}}, 0, {"--afterburn", "max_queue_wait", "10s"});
}

TEST(start, the_health_check_looks_for_the_lock_and_needs_no_function) {
  WatchdogProcess watchdog(misbehave());
  ASSERT_TRUE(wait_until([&] { return std::filesystem::exists(watchdog.folder() / ".lock"); }));
  for (const char* flag : {"-run-healthcheck", "--run-healthcheck"}) {
    expect_ending({.environment = {{"TMPDIR", watchdog.folder().string()}}, .flags = {flag}}, 0, {"Version: "});
    expect_ending({.flags = {flag}}, 1, {"Version: ", "unable to find lock file."});
  }
}

TEST(start, what_cannot_be_read_ends_with_64_and_is_named) {
  struct Case {
    WatchdogOptions options;
    std::vector<std::string> parts;
  };
  const Case cases[] = {
      {{.flags = {"--max-queu=1"}}, {"--max-queu", "--max_queue"}},
      {{.flags = {"-nonsense"}}, {"nonsense"}},
      {{.environment = {{"mode", "afterburn"}, {"fprocess", "cat"}, {"exec_timeout", "ten"}}}, {"exec_timeout", "ten"}},
      {{.environment = {{"mode", "afterburn"}, {"fprocess", "cat"}, {"port", "99999"}}}, {"port", "99999"}},
      {{.environment = {{"mode", "sideways"}, {"fprocess", "cat"}}}, {"mode", "sideways"}},
      {{.environment = {{"mode", "afterburn"}}}, {"fprocess"}},
      {{.environment = {{"mode", "afterburn"}, {"fprocess", "cat 'open"}}}, {"fprocess", "cat 'open"}},
  };
  for (const Case& each : cases) expect_ending(each.options, 64, each.parts);
}

TEST(start, a_program_that_cannot_be_started_ends_with_69_and_its_errno) {
  const Variables afterburn = {{"mode", "afterburn"}};
  expect_ending({.function = {"/nonexistent"}, .environment = afterburn}, 69,
                {"/nonexistent", "No such file or directory"});
  expect_ending({.function = {"/etc/passwd"}, .environment = afterburn}, 69, {"/etc/passwd", "Permission denied"});
  expect_ending({.function = {"no-such-program-in-path"}, .environment = afterburn}, 69,
                {"no-such-program-in-path", "No such file or directory"});
}

TEST(start, a_port_that_is_taken_ends_with_71_and_no_function_is_started) {
  const TakenPort taken;
  expect_ending(misbehave({{"port", taken.number()}}), 71, {"listen tcp :" + taken.number(), "ddress already in use"});
}

TEST(start, a_metrics_port_that_is_asked_for_and_taken_ends_with_71) {
  const TakenPort taken;
  expect_ending(misbehave({{"metrics_port", taken.number()}}), 71,
                {"metrics_port", taken.number(), "ddress already in use"});
}

TEST(start, no_metrics_are_served_with_port_0) {
  WatchdogProcess watchdog(misbehave({{"metrics_port", "0"}}));
  EXPECT_EQ(post(watchdog, "/metrics").body, "hello") << "it is a path of the function";
  EXPECT_EQ(watchdog.count_lines("Metrics listening"), 0U);
}

TEST(start, a_metrics_port_equal_to_port_shares_the_listener) {
  std::string number;
  { number = TakenPort().number(); }  // it was free just now
  WatchdogProcess watchdog(misbehave({{"port", number}, {"metrics_port", number}}));
  const HttpAnswer metrics = request(watchdog.port(), "GET", "/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_NE(metrics.body.find("http_requests_in_flight 0\n"), std::string::npos) << metrics.body;
  expect_echo(watchdog);
}

/// One test for all that needs the port that is nobody's choice, so that no two tests need it at once.
TEST(start, a_metrics_port_left_alone_gives_way_with_a_warning) {
  const std::string warning = "Warning: no metrics, port 8081 is taken";
  {
    const TakenPort taken(8081);  // or somebody else has it, which is as good
    WatchdogProcess watchdog(misbehave({{"metrics_port", ""}}));
    EXPECT_TRUE(watchdog.wait_for_line(warning)) << watchdog.log();
    expect_echo(watchdog);
    if (!taken.ours()) GTEST_SKIP() << "port 8081 is somebody else's: nobody can listen there";
  }
  WatchdogProcess watchdog(misbehave({{"metrics_port", ""}, {"port", "8081"}}));
  EXPECT_TRUE(watchdog.wait_for_line(warning)) << watchdog.log();
  expect_echo(watchdog);
}

TEST(start, old_settings_that_mean_something_else_are_warned_of) {
  WatchdogProcess watchdog(misbehave({{"write_timeout", "5s"}, {"exec_timeout", "10s"}, {"suppress_lock", "yes"}}));
  EXPECT_TRUE(watchdog.wait_for_line("Warning: write_timeout (5s) is shorter than exec_timeout (10s)"))
      << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("of-watchdog read it as false")) << watchdog.log();
}

}  // namespace
}  // namespace fwd::test
