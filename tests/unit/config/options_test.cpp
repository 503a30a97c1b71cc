#include "watchdog/config/options.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/read.hpp"

namespace fwd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Action = Invocation::Action;
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
  EXPECT_EQ(good({}, {{"upstream_url", "http://a"}, {"http_upstream_url", "http://b"}}).config.upstream_url,
            "http://b");
  EXPECT_EQ(good({}, {{"upstream_url", "http://a"}}).config.upstream_url, "http://a");
  EXPECT_TRUE(good({}, {{"marshal_requests", "true"}}).config.marshal_request);
  EXPECT_EQ(good({}, {{"port", "1"}, {"port", "2"}}).config.port, 1);  // as getenv(3)
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
  EXPECT_THAT(good({}, {{"buffer_http", "yes"}}).warnings,
              ElementsAre("buffer_http=\"yes\" is read as true; of-watchdog read it as false"));
  EXPECT_THAT(good({}, {{"cgi_headers", "1"}}).warnings,
              ElementsAre("cgi_headers=\"1\" is read as true; classic-watchdog read it as false"));
  EXPECT_THAT(good({}, {{"marshal_requests", "TRUE"}}).warnings,
              ElementsAre("marshal_requests=\"TRUE\" is read as true; classic-watchdog read it as false"));
  for (const auto* name : {"cgi_headers", "combine_output", "write_debug", "debug_headers", "marshal_request"})
    for (const auto* text : {"true", "0", "false", "no"})
      EXPECT_THAT(good({}, {{name, text}}).warnings, IsEmpty()) << name << text;
  EXPECT_THAT(good({"--suppress-lock=yes"}).warnings, IsEmpty());  // the old ones had no such flag
  EXPECT_THAT(good({}, {{"duration_header", "yes"}}).warnings, IsEmpty());
}

TEST(ReadOptions, negative_max_inflight_is_no_limit_as_before) {
  const Invocation read = good({}, {{"max_inflight", "-1"}});
  EXPECT_EQ(read.config.max_inflight, 0u);
  EXPECT_THAT(read.warnings, ElementsAre("max_inflight=\"-1\": negative, so there is no limit"));
}

TEST(ReadOptions, variables_that_nobody_reads_are_never_errors) {
  Environment environment;
  for (const auto* name : {"read_debug", "jwt_auth_debug", "jwt_auth_local", "config", "no_such_option"})
    environment.emplace_back(name, "no such thing");
  EXPECT_THAT(good({}, environment).warnings, IsEmpty());
}

TEST(ReadOptions, platforms_give_the_port_where_nobody_else_does) {
  const TemporaryFile file("port: 1\n");
  const std::string config = "--config=" + file.path();
  EXPECT_EQ(good({}, {{"PORT", "9000"}}).config.port, 9000);
  EXPECT_EQ(good({}, {{"PORT", "9000"}, {"port", ""}}).config.port, 9000);
  EXPECT_EQ(good({}, {{"PORT", ""}}).config.port, 8080);
  EXPECT_EQ(good({}, {{"PORT", "9000"}, {"port", "2"}}).config.port, 2);
  EXPECT_EQ(good({"--port=3"}, {{"PORT", "9000"}}).config.port, 3);
  EXPECT_EQ(good({config.c_str()}, {{"PORT", "9000"}}).config.port, 1);
  EXPECT_EQ(error_of({"--", "cat"}, {{"PORT", "http"}}), "PORT=\"http\": not a whole number from 0 to 65535");
  EXPECT_EQ(error_of({"--", "cat"}, {{"PORT", "http"}, {"port", "80"}}), "none");
}

TEST(ReadOptions, an_empty_text_counts_for_static_path_alone) {
  const TemporaryFile file("static_path: /file\n");
  const std::string config = "--config=" + file.path();
  EXPECT_EQ(good({config.c_str()}).config.static_path, "/file");
  EXPECT_EQ(good({config.c_str()}, {{"static_path", ""}}).config.static_path, "");
  EXPECT_EQ(good({config.c_str(), "--static-path="}, {{"static_path", "/x"}}).config.static_path, "");
  EXPECT_EQ(good({"--static_path=/flag"}, {{"static_path", ""}}).config.static_path, "/flag");
  EXPECT_EQ(good({}).config.static_path, "/home/app/public");
}

TEST(ReadOptions, the_end_is_short_within_knative) {
  const Invocation read = good({"--shutdown-timeout=1m"}, {{"K_SERVICE", "f"}, {"KUBERNETES_SERVICE_HOST", "::1"}});
  EXPECT_EQ(read.config.shutdown_timeout, seconds(10));
  EXPECT_EQ(read.config.healthcheck_interval, seconds(0));
  EXPECT_THAT(read.warnings, ElementsAre("--shutdown-timeout=\"1m\" is cut to 10s: K_SERVICE is set, and Cloud Run "
                                         "kills what takes longer"));
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
