// What is streaming mode's alone: the answer begins before it has ended.

#include <signal.h>

#include "tests/e2e/one_shot.hpp"

namespace fwd::test {
namespace {

class Streaming : public testing::Test {
 protected:
  /// Reads until `part` has come.
  static std::string read_until(HttpClient& client, std::string_view part) {
    std::string text;
    while (text.find(part) == std::string::npos) {
      const std::string byte = client.read_bytes(1);
      if (byte.empty()) break;
      text += byte;
    }
    return text;
  }

  TemporaryFolder folder_;
  const Fifo gate_{folder_ / "gate"};
  const std::string wait_ = "read x < " + gate_.path() + "; ";
};

TEST_F(Streaming, the_first_piece_arrives_before_the_function_goes_on) {
  const WatchdogProcess watchdog(shell("streaming", "echo first; " + wait_ + "echo second"));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/", "x")));
  EXPECT_NE(read_until(client, "first\n").find("Transfer-Encoding: chunked"), std::string::npos);
  gate_.open();
  EXPECT_EQ(read_until(client, "\r\n0\r\n\r\n"), "\r\n7\r\nsecond\n\r\n0\r\n\r\n");
}

TEST_F(Streaming, a_short_answer_has_a_length_and_the_connection_goes_on) {
  const WatchdogProcess watchdog(one_shot("streaming", {"cat"}));
  HttpClient client(watchdog.port());
  for (int round = 0; round < 3; ++round) {
    const auto answer = client.ask("POST", "/", "hello");
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->body, "hello");
    EXPECT_EQ(answer->header("Content-Type"), "application/octet-stream");
    EXPECT_FALSE(answer->header("X-Duration-Seconds"));
  }
}

TEST_F(Streaming, a_client_of_http_1_0_that_wants_to_stay_gets_a_length_however_slow_the_function_is) {
  const WatchdogProcess watchdog(shell("streaming", "echo first; " + wait_ + "echo second"));
  HttpClient client(watchdog.port());
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    gate_.open();
    const auto answer = client.find_answer();
    ASSERT_TRUE(answer) << client.last_error();
    EXPECT_EQ(answer->header("Content-Length"), "13");
    EXPECT_EQ(answer->header("Connection"), "keep-alive");
    EXPECT_EQ(answer->body, "first\nsecond\n");
  }
}

TEST_F(Streaming, an_answer_to_http_1_0_without_a_length_ends_with_the_connection) {
  const WatchdogProcess watchdog(shell("streaming", "head -c 300000 /dev/zero"));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
  const auto text = client.read_to_end();
  ASSERT_TRUE(text);
  EXPECT_EQ(text->size() - text->find("\r\n\r\n") - 4, 300'000U);
}

TEST_F(Streaming, a_function_that_fails_behind_the_head_of_its_answer_leaves_it_cut) {
  for (const std::string end : {"exit 1", "kill -9 $$"}) {
    SCOPED_TRACE(end);
    const WatchdogProcess watchdog(shell("streaming", "echo partial; " + wait_ + end));
    HttpClient client(watchdog.port());
    ASSERT_TRUE(client.send(render_request("POST", "/", "x")));
    (void)read_until(client, "partial\n");
    gate_.open();
    EXPECT_FALSE(client.read_to_end()) << "a clean end";
    EXPECT_TRUE(watchdog.wait_for_line("The function has failed behind the head of its answer"));
    expect_no_process_left(watchdog);
  }
}

TEST_F(Streaming, exec_timeout_behind_the_head_of_the_answer_cuts_it) {
  const WatchdogProcess watchdog(shell("streaming", "echo partial; sleep 60", {{"exec_timeout", "500ms"}}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/", "x")));
  (void)read_until(client, "partial\n");
  EXPECT_FALSE(client.read_to_end()) << "a clean end";
  expect_no_process_left(watchdog);
}

TEST_F(Streaming, the_end_of_its_output_ends_the_answer_and_the_process_may_go_on) {
  const WatchdogProcess watchdog(shell(
      "streaming", "echo answer; exec >&-; echo $$ > " + (folder_ / "pid") + "; " + wait_ + "cat > " + (folder_ / "rest")));
  HttpClient client(watchdog.port());
  const auto answer = client.ask("POST", "/", "the body");
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "answer\n");
  EXPECT_TRUE(is_running(wait_for_pid(folder_ / "pid")));
  gate_.open();
  EXPECT_TRUE(wait_until([&] { return read_file(folder_ / "rest") == "the body"; }));
  expect_no_process_left(watchdog);
}

TEST_F(Streaming, a_process_that_goes_on_is_killed_at_exec_timeout) {
  const WatchdogProcess watchdog(
      shell("streaming", "echo answer; exec >&-; sleep 60", {{"exec_timeout", "1s"}}));
  EXPECT_EQ(request(watchdog.port(), "POST", "/", "x").body, "answer\n");
  expect_no_process_left(watchdog);
}

TEST_F(Streaming, x_timeout_is_no_limit_of_a_body_whose_answer_has_begun) {
  const WatchdogProcess watchdog(one_shot("streaming", {"cat"}));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("POST / HTTP/1.1\r\nHost: h\r\nX-Timeout: 300ms\r\nTransfer-Encoding: chunked\r\n\r\n"
                          "5\r\nfirst\r\n"));
  (void)read_until(client, "first");
  HttpClient other(watchdog.port());  // its own limit is later than the first one's
  ASSERT_TRUE(other.send("POST / HTTP/1.1\r\nHost: h\r\nX-Timeout: 500ms\r\nContent-Length: 1\r\n\r\n"));
  const auto overdue = other.find_answer();
  ASSERT_TRUE(overdue) << other.last_error();
  EXPECT_EQ(overdue->status, 504);
  ASSERT_TRUE(client.send("6\r\nsecond\r\n0\r\n\r\n"));
  EXPECT_EQ(client.read_bytes(18), "\r\n6\r\nsecond\r\n0\r\n\r\n");
}

TEST_F(Streaming, a_client_that_leaves_in_mid_answer_ends_the_process) {
  const WatchdogProcess watchdog(shell("streaming", "echo $$ > " + (folder_ / "pid") + "; cat /dev/zero"));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/", "x")));
  EXPECT_EQ(client.read_bytes(100'000).size(), 100'000U);
  const pid_t pid = wait_for_pid(folder_ / "pid");
  client.reset();
  EXPECT_TRUE(wait_until([&] { return !is_running(pid); }));
  expect_no_process_left(watchdog);
}

TEST_F(Streaming, head_gets_the_head_alone) {
  const WatchdogProcess watchdog(shell("streaming", "echo answer"));
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n"));
  const auto answer = client.find_answer(true);
  ASSERT_TRUE(answer) << client.last_error();
  EXPECT_EQ(answer->status, 200);
  EXPECT_TRUE(client.ask("GET", "/")) << client.last_error();
}

}  // namespace
}  // namespace fwd::test
