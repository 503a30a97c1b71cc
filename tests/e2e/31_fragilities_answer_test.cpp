// The fragilities of the old runner on the way back from the function; the reference's number is in each name.

#include <future>
#include <gtest/gtest.h>
#include <string>

#include "tests/e2e/fragilities.hpp"
#include "tests/support/token_load.hpp"

namespace fwd::test {
namespace {

/// A verb after which the answer is an error of the watchdog's own and the worker is replaced.
void expect_error_and_replacement(const std::string& verb, int status, const Variables& variables = {}) {
  SCOPED_TRACE(verb);
  WatchdogProcess watchdog(misbehave(variables));
  const auto before = watchdog.children();
  expect_own_error(post(watchdog, verb), status);
  expect_replaced(watchdog, before);
  expect_echo(watchdog);
}

TEST(fragility, n06_an_answer_without_length_breaks_the_protocol) {
  expect_error_and_replacement("/no-length", 502);
}

TEST(fragility, n07_a_body_shorter_than_announced_is_no_clean_end) {
  WatchdogProcess watchdog(misbehave({{"exec_timeout", "300ms"}}));
  const auto before = watchdog.children();
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/short-body", "x")));
  const auto answer = client.find_answer();
  EXPECT_FALSE(answer) << answer->raw_head << answer->body;
  expect_replaced(watchdog, before);
  expect_echo(watchdog);
}

TEST(fragility, n07_in_text_units_a_short_body_is_held_and_becomes_504) {
  expect_error_and_replacement("/short-body", 504, {{"exec_timeout", "300ms"}, {"afterburn_units", "codepoints"}});
}

TEST(fragility, n08_surplus_bytes_reach_nobody_and_cost_the_worker) {
  for (const std::string verb : {"/surplus?n=1", "/surplus?n=5000", "/surplus?n=300000", "/print-after"}) {
    SCOPED_TRACE(verb);
    WatchdogProcess watchdog(misbehave());
    for (int round = 0; round < 3; ++round) {
      const auto before = watchdog.wait_children([](const auto& pids) { return pids.size() == 1; });
      const HttpAnswer answer = post(watchdog, verb);
      EXPECT_EQ(answer.status, 200);
      EXPECT_EQ(answer.body, "hello");
      expect_echo(watchdog);
      expect_replaced(watchdog, before);
    }
    EXPECT_TRUE(watchdog.wait_for_line(verb == "/print-after" ? "stray after the answer" : "Z")) << watchdog.log();
  }
}

TEST(fragility, n08_surplus_bytes_can_be_logged_only) {
  WatchdogProcess watchdog(misbehave({{"afterburn_stray", "log"}}));
  const auto before = watchdog.children();
  for (int round = 0; round < 10; ++round) {
    const HttpAnswer answer = post(watchdog, "/print-after");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello");
    expect_echo(watchdog);
  }
  EXPECT_TRUE(watchdog.wait_for_line("stray after the answer")) << watchdog.log();
  expect_kept(watchdog, before);
}

TEST(fragility, n08_output_while_idle_reaches_nobody_and_costs_the_worker) {
  WatchdogProcess watchdog(misbehave({}, "--print-when-idle"));
  for (int round = 0; round < 3; ++round) {
    const auto before = watchdog.wait_children([](const auto& pids) { return pids.size() == 1; });
    expect_echo(watchdog);
    expect_replaced(watchdog, before);
  }
  EXPECT_TRUE(watchdog.wait_for_line("stray while idle")) << watchdog.log();
}

TEST(fragility, n09_text_before_the_status_line_is_the_functions_log) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  const HttpAnswer answer = post(watchdog, "/print-before");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  EXPECT_TRUE(watchdog.wait_for_line("first stray line")) << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("second stray line")) << watchdog.log();
  expect_echo(watchdog);
  expect_kept(watchdog, before);
}

TEST(fragility, n09_garbage_is_never_an_answer) {
  expect_error_and_replacement("/garbage", 504, {{"exec_timeout", "300ms"}});
}

TEST(fragility, n10_lengths_in_characters_become_lengths_in_bytes) {
  WatchdogProcess watchdog(old_function("python3 " + compat_script("old_python3.py")));
  const auto before = watchdog.children();
  for (const std::string body : {"", "é", "héllo€", "😀😀", "\xff\xfe.", "\xe2\x82.", "a\r\nb\rc\n"}) {
    const HttpAnswer answer = post(watchdog, "/", body);
    EXPECT_EQ(answer.status, 200) << body;
    EXPECT_EQ(answer.body, body);
    EXPECT_EQ(answer.header("Content-Length"), std::to_string(body.size()));
  }
  expect_kept(watchdog, before);
}

TEST(fragility, n10_a_body_that_ends_inside_a_character_is_refused) {
  WatchdogProcess watchdog(old_function("python3 " + compat_script("old_python3.py")));
  const auto before = watchdog.children();
  for (const std::string body : {"\xc3", "x\xe2\x82", "\xf0\x9f\x98"}) expect_own_error(post(watchdog, "/", body), 415);
  expect_echo(watchdog);
  expect_kept(watchdog, before);
}

TEST(fragility, n10_large_answers_in_characters_go_out_chunked) {
  WatchdogProcess watchdog(old_function("python3 " + compat_script("old_python3.py")));
  std::string body;
  while (body.size() < 3'000'000) body += "é€😀";
  const HttpAnswer answer = post(watchdog, "/", body);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body == body) << answer.body.size();
  EXPECT_EQ(answer.header("Transfer-Encoding"), "chunked");
  EXPECT_FALSE(answer.header("Content-Length"));
}

TEST(fragility, n11_bare_lf_no_reason_and_connection_close_are_accepted) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  HttpClient client(watchdog.port());
  for (const std::string verb : {"/bare-lf", "/no-reason", "/connection-close"}) {
    const auto answer = client.ask("POST", verb, "hello");
    ASSERT_TRUE(answer) << verb << client.last_error();
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "hello");
    EXPECT_NE(answer->header("Connection").value_or(""), "Close") << answer->raw_head;
  }
  EXPECT_EQ(post(watchdog, "/status-500").status, 500);
  expect_kept(watchdog, before);
}

TEST(fragility, n11_chunked_answers_are_accepted) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  const HttpAnswer answer = post(watchdog, "/chunked", "hello chunks");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello chunks");
  expect_echo(watchdog);
  expect_kept(watchdog, before);
}

TEST(fragility, n12_every_set_cookie_is_kept) {
  WatchdogProcess watchdog(misbehave());
  EXPECT_EQ(post(watchdog, "/two-cookies").all("Set-Cookie"), (std::vector<std::string>{"a=1", "b=2"}));
}

TEST(fragility, n13_interim_answers_are_not_final) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  const HttpAnswer answer = post(watchdog, "/100-continue-first");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "hello");
  expect_kept(watchdog, before);
}

TEST(fragility, n14_an_impossible_status_is_502) {
  expect_error_and_replacement("/status-000", 502);
}

TEST(fragility, n14_a_body_that_comes_with_204_304_or_to_head_is_dropped) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  HttpClient client(watchdog.port());
  for (const auto& [verb, status] : {std::pair("/204-with-body", 204), std::pair("/304-with-body", 304)}) {
    const auto answer = client.ask("POST", verb, "dropped");
    ASSERT_TRUE(answer) << verb << client.last_error();
    EXPECT_EQ(answer->status, status);
  }
  const auto head = client.ask("HEAD", "/echo-head");
  ASSERT_TRUE(head) << client.last_error();
  EXPECT_EQ(head->status, 200);
  EXPECT_NE(head->header("Content-Length").value_or("0"), "0");
  const auto seen = client.ask("GET", "/echo-head");
  ASSERT_TRUE(seen) << client.last_error();
  EXPECT_EQ(seen->body.find("GET /echo-head"), 0U);
  EXPECT_EQ(head->header("Content-Length"), seen->header("Content-Length"));  // HEAD went to the function as GET
  expect_kept(watchdog, before);
}

TEST(fragility, n17_a_long_line_on_stderr_blocks_nothing) {
  WatchdogProcess watchdog(misbehave());
  const auto before = watchdog.children();
  for (int round = 0; round < 5; ++round) {
    const HttpAnswer answer = post(watchdog, "/stderr?n=1000000");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello");
  }
  expect_kept(watchdog, before);
}

TEST(fragility, n18_answer_and_body_larger_than_both_pipes_do_not_lock) {
  WatchdogProcess watchdog(misbehave());
  for (const std::size_t size : {100'000, 1'000'000, 10'000'000}) {
    const std::string body(size, 'q');
    const HttpAnswer early = post(watchdog, "/answer-early", body);
    EXPECT_EQ(early.status, 200) << early.body.substr(0, 100);
    EXPECT_TRUE(early.body == std::string(size, 'e')) << early.body.size();
    const HttpAnswer echoed = post(watchdog, "/echo", body);
    EXPECT_TRUE(echoed.body == body) << echoed.status << " " << echoed.body.size();
  }
}

TEST(fragility, n21_a_closed_stdout_is_a_dead_function) {
  expect_error_and_replacement("/close-stdout", 502);
}

TEST(fragility, n04_a_grandchild_that_holds_stdout_delays_nothing_and_dies_too) {
  WatchdogProcess watchdog(misbehave({{"exec_timeout", "300ms"}}));
  const auto before = watchdog.children();
  expect_own_error(post(watchdog, "/fork-holder"), 504);
  ASSERT_TRUE(watchdog.wait_for_line("holder ")) << watchdog.log();
  for (const std::string& line : watchdog.lines()) {
    const std::size_t at = line.find("holder ");
    if (at == std::string::npos || line.find_first_not_of("0123456789", at + 7) != std::string::npos) continue;
    const pid_t holder = std::stoi(line.substr(at + 7));
    EXPECT_TRUE(wait_until([holder] { return !is_running(holder); })) << line;
  }
  expect_replaced(watchdog, before);
  expect_echo(watchdog);
}

TEST(fragility, n22_an_answer_is_streamed_as_it_comes) {
  WatchdogProcess watchdog(misbehave());
  const Gate gate(watchdog);
  HttpClient client(watchdog.port());
  ASSERT_TRUE(client.send(render_request("POST", "/half-then-wait", gate.path())));
  std::string begun;
  while (begun.find("fini") == std::string::npos) {
    const std::string byte = client.read_bytes(1);
    ASSERT_FALSE(byte.empty()) << begun << client.last_error();
    begun += byte;
  }
  gate.open();
  EXPECT_EQ(client.read_bytes(4), "shed");
}

TEST(fragility, n22_the_duration_is_a_header_on_request) {
  WatchdogProcess with(misbehave({{"duration_header", "true"}}));
  EXPECT_TRUE(post(with, "/echo").header("X-Duration-Seconds"));
  WatchdogProcess without(misbehave());
  EXPECT_FALSE(post(without, "/echo").header("X-Duration-Seconds"));
}

/// All of it at once: a load of right answers, and one misbehaving request after the other in between.
TEST(fragility, all_of_them_disturb_nobody_else) {
  WatchdogProcess watchdog(misbehave({{"afterburn_workers", "2"}, {"exec_timeout", "2s"}}));
  auto load = std::async(std::launch::async, [&watchdog] {
    return run_token_load({.port = watchdog.port(), .requests = 400, .concurrency = 6, .seed = 99, .target = "/echo"});
  });
  for (const char* verb : {"/print-after", "/status-000", "/exit-mid-answer", "/no-length", "/surplus?n=5000",
                           "/exit-before-answer", "/print-before", "/close-stdout", "/stderr?n=100000", "/chunked"}) {
    (void)try_request(watchdog.port(), "POST", verb, "x");
  }
  const TokenLoadResult result = load.get();
  EXPECT_EQ(result.right, 400U) << result.summary() << watchdog.log();
}

}  // namespace
}  // namespace fwd::test
