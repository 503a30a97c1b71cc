// The old published templates, unmodified in behaviour, under load: every answer is right and nobody is replaced.
// FWD_FULL=1 sends 10,000 requests each instead of 500.

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

#include "tests/compat/java_text.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/token_load.hpp"
#include "tests/support/watchdog_process.hpp"

namespace fwd::test {
namespace {

std::string script(const std::string& name) {
  return SOURCE_DIR "/tests/compat/" + name;
}
std::string program(const std::string& name) {
  return BINARY_DIR "/bin/compat/" + name;
}

std::size_t request_count() {
  const char* full = std::getenv("FWD_FULL");
  return full != nullptr && *full != '\0' ? 10'000 : 500;
}

/// Runs the load against one function and compares its workers before and after.
void expect_all_right(std::map<std::string, std::string> environment, TokenLoad load) {
  for (const char* limit : {"max_queue_wait", "read_timeout", "write_timeout", "exec_timeout"})
    environment.try_emplace(limit, "10m");  // right is right, however slow the machine and the sanitizers
  WatchdogProcess watchdog({.environment = environment});
  const std::vector<pid_t> workers = watchdog.children();
  load.port = watchdog.port();
  load.requests = request_count();
  const TokenLoadResult result = run_token_load(load);
  EXPECT_EQ(result.right, load.requests) << result.summary();
  EXPECT_EQ(result.failed(), 0U) << result.summary();
  EXPECT_EQ(watchdog.children(), workers) << watchdog.log();
}

TEST(compat, old_python3_answers_every_body_in_characters) {
  expect_all_right({{"fast_fork", "1"}, {"fprocess", "python3 -B " + script("old_python3.py")}}, {.seed = 31});
}

TEST(compat, old_python3_with_several_workers) {
  expect_all_right({{"mode", "afterburn"},
                    {"afterburn", "true"},
                    {"afterburn_workers", "3"},
                    {"fprocess", "python3 -B " + script("old_python3.py")}},
                   {.seed = 32});
}

TEST(compat, old_python2_answers_every_body_in_bytes) {
  expect_all_right({{"afterburn", "true"},
                    {"afterburn_units", "bytes"},  // the program is Python 3 in disguise, so auto would be wrong
                    {"fprocess", "python3 -B " + script("old_python2.py")}},
                   {.seed = 33});
}

TEST(compat, old_node_answers_every_text) {
  expect_all_right({{"fast_fork", "1"}, {"fprocess", "node " + script("old_node.js")}},
                   {.seed = 34, .contents = kTextContents});
}

TEST(compat, old_scala_answers_every_body) {
  expect_all_right({{"fast_fork", "1"}, {"afterburn_units", "utf16"}, {"fprocess", program("old_scala")}},
                   {.seed = 35, .expected = [](std::string body) { return java_text::latin1_to_utf8(body); }});
}

TEST(compat, old_java_answers_every_text) {
  expect_all_right({{"fast_fork", "1"}, {"afterburn_units", "utf16"}, {"fprocess", program("old_java")}},
                   {.seed = 36, .contents = kTextContents});
}

/// Our own templates carry everything, over stdout and over a descriptor of their own.
void expect_template_right(const std::string& fprocess) {
  const auto said = [](std::string body) { return "You said: " + body + ". That was so fast!"; };
  for (const std::string response_fd : {"", "3"}) {
    SCOPED_TRACE("response_fd=" + response_fd);
    expect_all_right(
        {{"mode", "afterburn"}, {"afterburn_workers", "2"}, {"response_fd", response_fd}, {"fprocess", fprocess}},
        {.seed = 37, .expected = said});
  }
}

TEST(compat, new_python3_answers_every_body) {
  expect_template_right("python3 -B " SOURCE_DIR "/functions/python3-afterburn/index.py");
}

TEST(compat, new_node_answers_every_body) {
  expect_template_right("node " SOURCE_DIR "/functions/node-afterburn/index.js");
}

TEST(compat, new_cpp_answers_every_body) {
  expect_template_right(BINARY_DIR "/bin/functions/cpp-afterburn");
}

}  // namespace
}  // namespace fwd::test
