// How processes of one request each begin and end, and what their clients hear of it.

#include <future>
#include <signal.h>
#include <sys/stat.h>

#include "tests/e2e/one_shot.hpp"

namespace fwd::test {
namespace {

class OneShotLife : public testing::TestWithParam<std::string> {
 protected:
  /// What the client of a process that failed before its answer gets.
  void expect_failed(const HttpAnswer& answer, const std::string& reason, const std::string& output = "") {
    if (GetParam() == "classic") return expect_own_text(answer, 500, reason + "\n" + output);
    expect_own_text(answer, 500, reason);
  }
  /// What the client of a process that took too long gets.
  void expect_overdue(const HttpAnswer& answer) {
    if (GetParam() == "classic") return expect_own_text(answer, 408, "Killed process.\n");
    EXPECT_EQ(answer.status, 504);
    EXPECT_EQ(answer.header("X-OpenFaaS-Internal"), "of-watchdog") << answer.raw_head;
  }
  WatchdogOptions script(const std::string& text, Variables variables = {}) const {
    return shell(GetParam(), text, std::move(variables));
  }

  TemporaryFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(modes, OneShotLife, testing::Values("streaming", "serializing", "classic"),
                         [](const auto& each) { return each.param; });

TEST_P(OneShotLife, a_process_that_fails_before_its_answer_is_answered_500) {
  struct Case {
    const char* script;
    const char* reason;
    const char* output;
  };
  for (const Case& each : {Case{"exit 3", "exit status 3", ""}, Case{"kill -9 $$", "signal: killed", ""},
                           Case{"kill -11 $$", "signal: segmentation fault", ""},
                           Case{"echo partial; exit 1", "exit status 1", "partial\n"}}) {
    SCOPED_TRACE(each.script);
    const WatchdogProcess watchdog(script(each.script));
    expect_failed(request(watchdog.port(), "POST", "/", "x"), each.reason, each.output);
    expect_no_process_left(watchdog);
  }
}

TEST_P(OneShotLife, exec_timeout_ends_the_whole_group_and_is_answered) {
  const WatchdogProcess watchdog(script("sleep 60 & echo $! > " + (folder_ / "pid") + "; sleep 61",
                                        {{"exec_timeout", "300ms"}}));
  expect_overdue(request(watchdog.port(), "POST", "/", "x"));
  const pid_t pid = wait_for_pid(folder_ / "pid");
  EXPECT_TRUE(wait_until([&] { return !is_running(pid); }));
  expect_no_process_left(watchdog);
  if (GetParam() == "classic") {
    EXPECT_TRUE(watchdog.wait_for_line("Killing process: sh -c sleep 60"));
  }
}

/// In a session of its own it escapes the kill, and keeps the pipe open: nobody waits for it.
TEST_P(OneShotLife, exec_timeout_is_answered_though_another_process_holds_the_pipe) {
  const WatchdogProcess watchdog(script("setsid sh -c 'echo $$ > " + (folder_ / "pid") + "; exec sleep 60' & sleep 61",
                                        {{"exec_timeout", "500ms"}}));
  expect_overdue(request(watchdog.port(), "POST", "/", "x"));
  const pid_t pid = wait_for_pid(folder_ / "pid");
  EXPECT_TRUE(is_running(pid));
  ::kill(pid, SIGKILL);
  expect_no_process_left(watchdog);
}

TEST_P(OneShotLife, an_answer_ends_with_its_process_though_another_one_holds_the_pipe) {
  const WatchdogProcess watchdog(
      script("echo answer; setsid sh -c 'echo $$ > " + (folder_ / "pid") + "; exec sleep 60' & while [ ! -s " +
             (folder_ / "pid") + " ]; do :; done"));
  const HttpAnswer answer = request(watchdog.port(), "POST", "/", "x");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "answer\n");
  const pid_t pid = wait_for_pid(folder_ / "pid");
  EXPECT_TRUE(is_running(pid));
  ::kill(pid, SIGKILL);
  expect_no_process_left(watchdog);
}

TEST_P(OneShotLife, x_timeout_shortens_it) {
  const WatchdogProcess watchdog(script("sleep 60", {{"exec_timeout", "20s"}}));
  const HttpAnswer answer = request(watchdog.port(), "POST", "/", "x", {{"X-Timeout", "300ms"}});
  EXPECT_EQ(answer.status, 504);
  expect_no_process_left(watchdog);
}

TEST_P(OneShotLife, a_client_that_leaves_ends_its_process) {
  const WatchdogProcess watchdog(script("echo $$ > " + (folder_ / "pid") + "; exec sleep 60"));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/", "x")));
  const pid_t pid = wait_for_pid(folder_ / "pid");
  client.reset();
  EXPECT_TRUE(wait_until([&] { return !is_running(pid); }));
  expect_no_process_left(watchdog);
}

TEST_P(OneShotLife, a_client_that_leaves_lets_its_process_run_where_that_is_asked_for) {
  const Fifo gate(folder_ / "gate");
  const WatchdogProcess watchdog(script("echo $$ > " + (folder_ / "pid") + "; read x < " + gate.path() +
                                            "; echo answer; echo done > " + (folder_ / "done"),
                                        {{"cancel_on_disconnect", "false"}}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/", "x")));
  (void)wait_for_pid(folder_ / "pid");
  client.reset();
  gate.open();
  EXPECT_TRUE(wait_until([&] { return read_file(folder_ / "done") == "done\n"; }));
  expect_no_process_left(watchdog);
}

TEST_P(OneShotLife, a_program_that_cannot_be_found_ends_the_watchdog_at_its_start) {
  struct Case {
    std::string program;
    std::string reason;
  };
  for (const Case& each :
       {Case{"no-such-program", "exec: \"no-such-program\": executable file not found in $PATH"},
        Case{folder_ / "missing", "fork/exec " + (folder_ / "missing") + ": no such file or directory"},
        Case{folder_.path().string(), "fork/exec " + folder_.path().string() + ": permission denied"}}) {
    SCOPED_TRACE(each.program);
    WatchdogOptions options = one_shot(GetParam(), {each.program});
    options.expect_ready = false;
    WatchdogProcess watchdog(options);
    EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 69);
    EXPECT_TRUE(watchdog.wait_for_line(each.reason)) << watchdog.log();
  }
}

TEST_P(OneShotLife, a_program_that_goes_away_or_goes_bad_is_answered_500) {
  const std::string program = folder_ / "program";
  folder_.write("program", "#!/bin/sh\necho fine\n");
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  const WatchdogProcess watchdog(one_shot(GetParam(), {program}));
  EXPECT_EQ(request(watchdog.port(), "POST", "/").body, "fine\n");
  ASSERT_EQ(::chmod(program.c_str(), 0644), 0);
  expect_failed(request(watchdog.port(), "POST", "/"), "fork/exec " + program + ": permission denied");
  folder_.write("program", "not a program at all");
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  expect_failed(request(watchdog.port(), "POST", "/"), "fork/exec " + program + ": exec format error");
  ASSERT_EQ(::unlink(program.c_str()), 0);
  expect_failed(request(watchdog.port(), "POST", "/"), "fork/exec " + program + ": no such file or directory");
  folder_.write("program", "#!/bin/sh\necho back\n");
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  EXPECT_EQ(request(watchdog.port(), "POST", "/").body, "back\n");
  expect_no_process_left(watchdog);
}

TEST_P(OneShotLife, a_program_that_is_being_written_is_tried_again_and_then_answered_503) {
  const std::string program = folder_ / "program";
  std::filesystem::copy_file("/bin/cat", program);
  const WatchdogProcess watchdog(one_shot(GetParam(), {program}));
  const int writer = ::open(program.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(writer, 0);
  const HttpAnswer refused = request(watchdog.port(), "POST", "/", "x");
  EXPECT_EQ(refused.status, 503) << refused.body;
  EXPECT_TRUE(refused.header("Retry-After"));
  ::close(writer);
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "x").body, "x");
}

/// What an environment may hold at most, execve(2): a quarter of the stack, but no more than 6 MiB.
std::size_t most_environment_bytes() {
  const long limit = ::sysconf(_SC_ARG_MAX);
  constexpr std::size_t kMost = 6 * 1024 * 1024;
  return limit <= 0 ? kMost : std::min(static_cast<std::size_t>(limit), kMost);
}

TEST_P(OneShotLife, a_request_too_large_for_the_environment_is_answered_431) {
  Variables variables{{"max_head_bytes", "65536"}};
  constexpr std::size_t kRoom = 40'000, kEntry = 100'000;
  for (std::size_t left = most_environment_bytes() - kRoom; left > 0; left -= std::min(left, kEntry))
    variables["FILL" + std::to_string(left)] = std::string(std::min(left, kEntry) - 20, 'f');
  const WatchdogProcess watchdog(one_shot(GetParam(), {"cat"}, variables));
  const HttpAnswer answer = request(watchdog.port(), "POST", "/", "x", {{"X-Long", std::string(60'000, 'l')}});
  EXPECT_EQ(answer.status, 431) << answer.body;
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "x").status, 200);
  expect_no_process_left(watchdog);
}

TEST_P(OneShotLife, a_process_has_three_descriptors_and_no_blocked_signal) {
  const WatchdogProcess descriptors(one_shot(GetParam(), {PROBE_BINARY, "descriptors"}));
  EXPECT_EQ(request(descriptors.port(), "POST", "/", "x").body, "0\n1\n2\n");
  const WatchdogProcess signals(one_shot(GetParam(), {PROBE_BINARY, "signals"}));
  EXPECT_EQ(request(signals.port(), "POST", "/", "x").body, "");
}

TEST_P(OneShotLife, what_it_says_on_stderr_is_logged) {
  const WatchdogProcess watchdog(
      script("echo 'a line' >&2; printf 'a last one' >&2; echo out", {{"combine_output", "false"}}));
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "x").body, "out\n");
  EXPECT_TRUE(watchdog.wait_for_line("stderr: a line")) << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("a last one")) << watchdog.log();
}

TEST_P(OneShotLife, output_that_looks_like_http_is_a_body) {
  const std::string text = "HTTP/1.1 404 Not Found\r\nContent-Length: 1\r\n\r\nx";
  const WatchdogProcess watchdog(one_shot(GetParam(), {PROBE_BINARY, "print", text}));
  const HttpAnswer answer = request(watchdog.port(), "POST", "/", "x");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, text);
}

TEST_P(OneShotLife, requests_beyond_max_children_wait_for_their_turn) {
  const Fifo gate(folder_ / "gate");
  const WatchdogProcess watchdog(script("echo begun >> " + (folder_ / "begun") + "; read x < " + gate.path() + "; cat",
                                        {{"max_children", "1"}}));
  auto first = std::async(std::launch::async, [&] { return request(watchdog.port(), "POST", "/", "first"); });
  ASSERT_TRUE(wait_until([&] { return read_file(folder_ / "begun") == "begun\n"; }));
  auto second = std::async(std::launch::async, [&] { return request(watchdog.port(), "POST", "/", "second"); });
  gate.open();
  EXPECT_EQ(first.get().body, "first");
  ASSERT_TRUE(wait_until([&] { return read_file(folder_ / "begun") == "begun\nbegun\n"; }));
  gate.open();
  EXPECT_EQ(second.get().body, "second");
}

TEST_P(OneShotLife, requests_beyond_the_queue_are_answered_429) {
  const Fifo gate(folder_ / "gate");
  const WatchdogProcess watchdog(script("echo begun > " + (folder_ / "begun") + "; read x < " + gate.path() + "; true",
                                        {{"max_children", "1"}, {"max_queue", "0"}}));
  auto first = std::async(std::launch::async, [&] { return request(watchdog.port(), "POST", "/", "first"); });
  ASSERT_TRUE(wait_until([&] { return read_file(folder_ / "begun") == "begun\n"; }));
  const HttpAnswer refused = request(watchdog.port(), "POST", "/", "x");
  EXPECT_EQ(refused.status, 429);
  EXPECT_TRUE(refused.header("Retry-After"));
  gate.open();
  EXPECT_EQ(first.get().status, 200);
}

TEST_P(OneShotLife, a_request_in_flight_is_answered_during_the_drain) {
  const Fifo gate(folder_ / "gate");
  WatchdogProcess watchdog(script("echo begun > " + (folder_ / "begun") + "; read x < " + gate.path() + "; echo late"));
  auto late = std::async(std::launch::async, [&] { return request(watchdog.port(), "POST", "/", "x"); });
  ASSERT_TRUE(wait_until([&] { return read_file(folder_ / "begun") == "begun\n"; }));
  watchdog.signal(SIGTERM);
  ASSERT_TRUE(watchdog.wait_for_line("draining: 1 requests"));
  gate.open();
  EXPECT_EQ(late.get().body, "late\n");
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 0);
}

TEST_P(OneShotLife, a_process_that_ignores_the_end_is_killed_at_shutdown_timeout) {
  WatchdogProcess watchdog(script("trap '' TERM; echo $$ > " + (folder_ / "pid") + "; while :; do sleep 1; done",
                                  {{"shutdown_timeout", "500ms"}}));
  auto cut = std::async(std::launch::async, [&] { return request(watchdog.port(), "POST", "/", "x"); });
  const pid_t pid = wait_for_pid(folder_ / "pid");
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(10'000)), 1);
  EXPECT_FALSE(is_running(pid));
  const HttpAnswer answer = cut.get();
  EXPECT_TRUE(answer.status == 503 || answer.status == 0) << answer.status << answer.body;
}

}  // namespace
}  // namespace fwd::test
