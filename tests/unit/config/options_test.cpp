#include "watchdog/config/options.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fwd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Action = Invocation::Action;
using Arguments = std::vector<const char*>;

Invocation good(const Arguments& arguments, Environment environment = {}) {
  environment.emplace_back("fprocess", "cat");
  auto read = read_options(arguments, environment);
  const auto* error = std::get_if<OptionError>(&read);
  EXPECT_EQ(error, nullptr) << error->text;
  return error == nullptr ? std::get<Invocation>(read) : Invocation{};
}

std::string error_of(const Arguments& arguments, const Environment& environment = {}) {
  const auto read = read_options(arguments, environment);
  const auto* error = std::get_if<OptionError>(&read);
  return error == nullptr ? "none" : error->text;
}

/// A file that is gone at the end of the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) { std::ofstream(path_) << text; }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "fwd_options_test.yaml";
};

TEST(ReadOptions, seed_command_starts_afterburn_with_one_worker) {
  const Invocation read =
      good({}, {{"mode", "afterburn"}, {"fast_fork", "1"}, {"port", "8081"}, {"function_process", "python3 index.py"}});
  EXPECT_EQ(read.action, Action::serve);
  EXPECT_EQ(read.config.mode, ModeName::afterburn);
  EXPECT_EQ(read.config.port, 8081);
  EXPECT_EQ(read.config.fprocess, "python3 index.py");
  EXPECT_EQ(read.config.afterburn_workers, 1u);
  EXPECT_EQ(read.config.metrics_port, std::nullopt);
  EXPECT_TRUE(read.config.is_old_image());
  EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(ReadOptions, command_line_alone_is_enough) {
  const Arguments arguments = {"--mode", "afterburn", "--port", "8081", "--", "python3", "index.py"};
  const auto read = read_options(arguments, {});
  ASSERT_TRUE(std::holds_alternative<Invocation>(read));
  const auto& invocation = std::get<Invocation>(read);
  EXPECT_THAT(invocation.function_argv, ElementsAre("python3", "index.py"));
  EXPECT_EQ(invocation.config.fprocess, "");
  EXPECT_EQ(invocation.config.afterburn_workers, std::nullopt);
}

TEST(ReadOptions, flag_goes_before_environment_before_file) {
  const TemporaryFile file("port: 1\nmax-queue: 1\nread_timeout: 1\nfprocess: tac\nmax_inflight:\n");
  const Invocation read = good({"--config", file.path().c_str(), "--port", "3"}, {{"port", "2"}, {"max_queue", "2"}});
  EXPECT_EQ(read.config.port, 3);
  EXPECT_EQ(read.config.max_queue, 2u);
  EXPECT_EQ(read.config.read_timeout, seconds(1));
  EXPECT_EQ(read.config.keepalive_timeout, seconds(1));
  EXPECT_EQ(read.config.fprocess, "cat");
}

TEST(ReadOptions, empty_values_do_not_hide_weaker_sources) {
  const TemporaryFile file("port: 1\n");
  const std::string config = "--config=" + file.path();
  EXPECT_EQ(good({config.c_str(), "--port="}, {{"port", ""}}).config.port, 1);
  EXPECT_EQ(good({"--port="}, {{"port", ""}}).config.port, 8080);
}

TEST(ReadOptions, first_spelling_wins_within_the_environment) {
  EXPECT_EQ(good({}, {{"function_process", "tac"}}).config.fprocess, "tac");
  EXPECT_EQ(good({}, {{"function_process", ""}}).config.fprocess, "cat");
  EXPECT_EQ(good({"--fprocess", "rev"}, {{"function_process", "tac"}}).config.fprocess, "rev");
  EXPECT_TRUE(good({}, {{"log_call_id", "true"}}).config.log_callid);
  EXPECT_FALSE(good({}, {{"log_call_id", "true"}, {"log_callid", "false"}}).config.log_callid);
  EXPECT_EQ(good({}, {{"port", "1"}, {"port", "2"}}).config.port, 1);  // as getenv(3)
}

TEST(ReadOptions, malformed_values_name_option_and_value) {
  struct Row {
    const char* name;
    const char* value;
    std::string_view problem;
  };
  constexpr Row kRows[] = {
      {"port", "abc", "not a whole number from 0 to 65535"},
      {"port", "70000", "not a whole number from 0 to 65535"},
      {"port", "-1", "not a whole number from 0 to 65535"},
      {"port", " 80", "not a whole number from 0 to 65535"},
      {"metrics_port", "65536", "not a whole number from 0 to 65535"},
      {"max_inflight", "x", "not a whole number from 0 to 2147483647"},
      {"max_queue", "-1", "not a whole number from 0 to 2147483647"},
      {"max_connections", "0", "not a whole number from 1 to 2147483647"},
      {"afterburn_workers", "0", "not a whole number from 1 to 1024, or auto"},
      {"afterburn_workers", "many", "not a whole number from 1 to 1024, or auto"},
      {"read_timeout", "5x", "not a duration (seconds as in 30, or as in 1m30s, 500ms)"},
      {"exec_timeout", "-5", "not a duration (seconds as in 30, or as in 1m30s, 500ms)"},
      {"write_timeout", "0", "HTTP write timeout must be over 0s"},
      {"write_timeout", "-1s", "HTTP write timeout must be over 0s"},
      {"shutdown_timeout", "0s", "must be over 0s"},
      {"keepalive_timeout", "-1s", "must not be negative"},
      {"max_queue_wait", "-1s", "must not be negative"},
      {"max_body", "1.5M", "not a size (bytes as in 65536, or as in 64Ki, 1M)"},
      {"max_head_bytes", "10", "must be at least 1024"},
      {"max_head_bytes", "65Ki", "must be at most 65536"},
      {"log_buffer_size", "x", "not a size (bytes as in 65536, or as in 64Ki, 1M)"},
      {"log_buffer_size", "0", "must be at least 1"},
      {"suppress_lock", "maybe", "not a boolean (true, false, 1, 0, yes, no, on, off)"},
      {"mode", "Http", "not one of streaming, serializing, http, static, inproc, afterburn, classic"},
      {"afterburn_units", "chars", "not one of auto, bytes, codepoints, utf16"},
      {"afterburn_stray", "kill", "not one of replace, log"},
      {"afterburn_methods", "GET,,POST", "not a list of methods such as GET,POST"},
      {"afterburn_methods", "GET POST", "not a list of methods such as GET,POST"},
      {"response_fd", "4", "not 0 (answers on stdout) or 3 (answers on descriptor 3)"},
  };
  for (const Row& row : kRows) {
    const std::string named = std::string(row.name) + "=\"" + row.value + "\": " + std::string(row.problem);
    EXPECT_EQ(error_of({}, {{"fprocess", "cat"}, {row.name, row.value}}), named);
    const std::string flag = "--" + std::string(row.name) + "=" + row.value;
    EXPECT_EQ(error_of({flag.c_str(), "--", "cat"}), "--" + named);
  }
}

TEST(ReadOptions, good_values_reach_their_members) {
  const Invocation read =
      good({"--afterburn-methods", "get, POST", "--afterburn-workers=auto", "--afterburn_units=utf16",
            "--afterburn_stray=log", "--response-fd=3", "--max-body=2Mi", "--body_memory=64Ki", "--max-head-bytes=8192",
            "--metrics-port=0", "--exec-timeout=-1s", "--max-queue-wait=1500ms", "--content-type=text/plain",
            "--duration-header", "--log-buffer-size=-1", "--prefix-logs=off", "--fast-fork=1"});
  EXPECT_THAT(read.config.afterburn_methods, ElementsAre("GET", "POST"));
  EXPECT_EQ(read.config.afterburn_workers, std::nullopt);  // said, so an old image gets it too
  EXPECT_EQ(read.config.afterburn_units, AfterburnUnits::utf16);
  EXPECT_EQ(read.config.afterburn_stray, StrayOutput::log);
  EXPECT_EQ(read.config.response_fd, 3);
  EXPECT_EQ(read.config.max_body_bytes, 2u * 1024 * 1024);
  EXPECT_EQ(read.config.body_memory_bytes, 65536u);
  EXPECT_EQ(read.config.max_head_bytes, 8192u);
  EXPECT_EQ(read.config.metrics_port, 0);
  EXPECT_EQ(read.config.exec_timeout, seconds(-1));
  EXPECT_EQ(read.config.max_queue_wait, milliseconds(1500));
  EXPECT_EQ(read.config.content_type, "text/plain");
  EXPECT_TRUE(read.config.duration_header);
  EXPECT_EQ(read.config.log_buffer_bytes, 1024u * 1024);
  EXPECT_FALSE(read.config.prefix_logs);
  EXPECT_EQ(read.config.mode, ModeName::afterburn);
  EXPECT_THAT(read.warnings, IsEmpty());
}

TEST(ReadOptions, booleans_that_changed_their_meaning_are_told) {
  EXPECT_THAT(good({}, {{"suppress_lock", "yes"}}).warnings,
              ElementsAre("suppress_lock=\"yes\" is read as true; of-watchdog read it as false"));
  EXPECT_THAT(good({}, {{"suppress_lock", "TRUE"}}).warnings,
              ElementsAre("suppress_lock=\"TRUE\" is read as true; of-watchdog read it as false"));
  EXPECT_THAT(good({}, {{"prefix_logs", "off"}}).warnings,
              ElementsAre("prefix_logs=\"off\" is read as false; of-watchdog read it as true"));
  EXPECT_THAT(good({}, {{"log_call_id", "on"}}).warnings,
              ElementsAre("log_call_id=\"on\" is read as true; of-watchdog read it as false"));
  for (const auto* text : {"true", "1", "0", "false", "no", "off", "F"})
    EXPECT_THAT(good({}, {{"suppress_lock", text}}).warnings, IsEmpty()) << text;
  for (const auto* text : {"yes", "on", "t", "F", "false"})
    EXPECT_THAT(good({}, {{"prefix_logs", text}}).warnings, IsEmpty()) << text;
  EXPECT_THAT(good({"--suppress-lock=yes"}).warnings, IsEmpty());  // the old ones had no such flag
  EXPECT_THAT(good({}, {{"duration_header", "yes"}}).warnings, IsEmpty());
}

TEST(ReadOptions, negative_max_inflight_is_no_limit_as_before) {
  const Invocation read = good({}, {{"max_inflight", "-1"}});
  EXPECT_EQ(read.config.max_inflight, 0u);
  EXPECT_THAT(read.warnings, ElementsAre("max_inflight=\"-1\": negative, so there is no limit"));
}

TEST(ReadOptions, short_write_timeout_is_warned_of) {
  EXPECT_THAT(good({"--exec-timeout=1m", "--write-timeout=10"}).warnings,
              ElementsAre("write_timeout (10s) is shorter than exec_timeout (1m0s): a slow request is answered 504 "
                          "before the function's own limit"));
  EXPECT_THAT(good({"--exec-timeout=10", "--write-timeout=10"}).warnings, IsEmpty());
}

TEST(ReadOptions, function_is_required_where_the_mode_has_one) {
  constexpr auto kText = "provide a \"function_process\" or \"fprocess\" environmental variable for your function";
  EXPECT_EQ(error_of({}), kText);
  EXPECT_EQ(error_of({"--"}), kText);
  EXPECT_EQ(error_of({}, {{"mode", "http"}, {"fprocess", ""}}), kText);
  EXPECT_EQ(error_of({}, {{"mode", "static"}}), "none");
  EXPECT_EQ(error_of({}, {{"mode", "inproc"}}), "none");
}

TEST(ReadOptions, variables_of_old_watchdogs_are_never_errors) {
  Environment environment;
  for (const auto* name : {"cgi_headers", "write_debug", "read_debug", "combine_output", "marshal_request",
                           "debug_headers", "jwt_auth_debug", "jwt_auth_local", "static_path", "upstream_url",
                           "http_upstream_url", "buffer_http", "http_buffer_req_body", "config"})
    environment.emplace_back(name, "no such thing");
  EXPECT_THAT(good({}, environment).warnings, IsEmpty());
}

TEST(ReadOptions, what_a_user_would_miss_is_told) {
  EXPECT_THAT(good({}, {{"ready_path", "/ready"}, {"", "odd"}}).warnings,
              ElementsAre("Bad environment: odd",
                          "ready_path=\"/ready\" is not built yet: /_/ready does not ask the function"));
}

TEST(ReadOptions, authentication_that_is_asked_for_and_missing_ends_the_start) {
  for (const auto* text : {"true", "1"})
    EXPECT_THAT(error_of({"--", "cat"}, {{"jwt_auth", text}}), testing::HasSubstr("not built yet"));
  EXPECT_EQ(error_of({"--", "cat"}, {{"jwt_auth", "false"}}), "none");
}

TEST(ReadOptions, version_and_help_look_at_nothing_else) {
  for (const auto* flag : {"-version", "--help"}) {
    const Arguments arguments = {flag, "--config", "/nowhere"};
    const auto read = read_options(arguments, {{"port", "abc"}});
    ASSERT_TRUE(std::holds_alternative<Invocation>(read)) << flag;
  }
}

TEST(ReadOptions, healthcheck_needs_no_function) {
  const Arguments arguments = {"-run-healthcheck"};
  const auto read = read_options(arguments, {{"TMPDIR", "/run"}});
  ASSERT_TRUE(std::holds_alternative<Invocation>(read));
  EXPECT_EQ(std::get<Invocation>(read).action, Action::healthcheck);
  EXPECT_EQ(std::get<Invocation>(read).config.lock_directory, "/run");
}

TEST(ReadOptions, file_errors_name_file_line_and_key) {
  const TemporaryFile file("port: 1\nprot: 2\n");
  const std::string config = "--config=" + file.path();
  EXPECT_EQ(error_of({config.c_str()}), file.path() + ":2: unknown option \"prot\"; did you mean port?");
}

TEST(ReadOptions, file_values_are_checked_like_others) {
  const TemporaryFile file("port: 1\nread_timeout: soon\n");
  const std::string config = "--config=" + file.path();
  EXPECT_EQ(error_of({config.c_str()}), file.path() +
                                            ":2: read_timeout=\"soon\": not a duration (seconds as in 30, or "
                                            "as in 1m30s, 500ms)");
}

TEST(ReadOptions, a_file_cannot_name_another) {
  const TemporaryFile file("config: other.yaml\n");
  const std::string config = "--config=" + file.path();
  EXPECT_EQ(error_of({config.c_str()}), file.path() + ":1: config is a flag only");
}

TEST(SplitEnvironment, cuts_at_the_first_equals) {
  const char* const entries[] = {"A=b=c", "odd", "EMPTY=", nullptr};
  EXPECT_THAT(split_environment(entries),
              ElementsAre(std::pair("A", "b=c"), std::pair("", "odd"), std::pair("EMPTY", "")));
  EXPECT_THAT(split_environment(nullptr), IsEmpty());
}

}  // namespace
}  // namespace fwd
