// Settings that are wrong: one line, exit code 64, and nothing has begun. Those that only do nothing: a warning.

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "tests/e2e/fragilities.hpp"
#include "tests/support/fbench_run.hpp"

namespace fwd::test {
namespace {

/// An empty folder: TMPDIR of the watchdog, where a lock file would be, and where the function would leave a file.
class EmptyFolder {
 public:
  EmptyFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fwd-options.XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~EmptyFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  EmptyFolder(const EmptyFolder&) = delete;
  EmptyFolder& operator=(const EmptyFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string file(const char* name) const { return (path_ / name).string(); }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

/// Runs fwatchdog with `variables` and nothing else in its environment, until it ends by itself.
Outcome run_watchdog(const EmptyFolder& folder, Variables variables, const Words& flags) {
  variables.try_emplace("PATH", "/usr/bin:/bin");
  variables.try_emplace("TMPDIR", folder.path().string());
  variables.try_emplace("metrics_port", "0");
  variables.try_emplace("port", "0");
  Words words{"-i"};
  for (const auto& [name, value] : variables) words.push_back(name + "=" + value);
  words.emplace_back(FWATCHDOG_BINARY);
  words.insert(words.end(), flags.begin(), flags.end());
  return run("env", std::move(words));
}

/// The start is refused with one line that has all of `parts`, and nothing was begun.
void expect_refusal(const Variables& variables, const Words& flags, const Words& parts) {
  const EmptyFolder folder;
  Variables all = variables;
  all.try_emplace("fprocess", "touch " + folder.file("started"));
  const Outcome outcome = run_watchdog(folder, all, flags);
  EXPECT_EQ(outcome.exit_code, 64) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("fwatchdog: ") && outcome.err.ends_with('\n')) << outcome.err;
  for (const std::string& part : parts) EXPECT_HAS(outcome.err, part);
  EXPECT_TRUE(folder.empty()) << "something began after " << outcome.err;
}

TEST(options, the_function_of_these_tests_leaves_a_file_when_it_is_started) {
  const EmptyFolder folder;
  const WatchdogProcess watchdog(
      {.environment = {{"mode", "afterburn"}, {"fprocess", "touch " + folder.file("started")}}, .expect_ready = false});
  EXPECT_TRUE(wait_until([&folder] { return !folder.empty(); })) << watchdog.log();
}

TEST(options, a_malformed_value_ends_the_start_and_is_named) {
  struct Case {
    const char* name;
    const char* value;
  };
  constexpr Case kCases[] = {
      {"mode", "steaming"},
      {"mode", "inproc"},
      {"mode", "HTTP"},
      {"port", "80x"},
      {"port", "65536"},
      {"bind_address", "localhost"},
      {"exec_timeout", "ten"},
      {"read_timeout", "5 s"},
      {"write_timeout", "0"},
      {"keepalive_timeout", "-1s"},
      {"shutdown_timeout", "0"},
      {"healthcheck_interval", "soon"},
      {"max_inflight", "many"},
      {"max_connections", "0"},
      {"max_head_bytes", "1"},
      {"max_body", "1MB"},
      {"body_memory", "-1"},
      {"content_type", "text/plain\nX: y"},
      {"cgi_headers", "maybe"},
      {"cgi_vars", "php"},
      {"cgi_response", "maybe"},
      {"max_children", "-1"},
      {"marshal_request", "json"},
      {"combine_output", "stderr"},
      {"write_debug", "2"},
      {"debug_headers", "2"},
      {"cancel_on_disconnect", "2"},
      {"one_shot", "2"},
      {"upstream_timeout", "connect=5s,first_byte=never"},
      {"http_buffer_req_body", "2"},
      {"buffer_http", "2"},
      {"http_workers", "0"},
      {"on_function_exit", "die"},
      {"tunnel_idle_timeout", "-1s"},
      {"tunnel_timeout", "x"},
      {"afterburn_workers", "0"},
      {"afterburn_pipeline", "65"},
      {"afterburn_units", "runes"},
      {"afterburn_stray", "keep"},
      {"afterburn_methods", "GET;POST"},
      {"response_fd", "1"},
      {"max_queue", "-1"},
      {"max_queue_wait", "x"},
      {"max_requests", "x"},
      {"max_lifetime", "1d"},
      {"max_rss", "1 GB"},
      {"static_listing", "x"},
      {"cache_control", "a\nb"},
      {"ready_path", "ready"},
      {"metrics_port", "x"},
      {"metrics_path", "metrics"},
      {"metrics_path", "/_/health"},
      {"suppress_lock", "maybe"},
      {"prefix_logs", "maybe"},
      {"log_callid", "maybe"},
      {"log_buffer_size", "0"},
      {"log_format", "xml"},
      {"access_log", "some"},
      {"trace_context", "maybe"},
      {"duration_header", "maybe"},
      {"jwt_auth", "true"},
  };
  for (const Case& each : kCases) {
    std::string value = each.value;
    if (const auto newline = value.find('\n'); newline != std::string::npos) value.replace(newline, 1, "\\n");
    expect_refusal({{each.name, each.value}}, {}, {std::string(each.name) + "=\"" + value + "\": "});
  }
}

TEST(options, flags_and_files_are_checked_like_variables) {
  expect_refusal({}, {"--port=80x"}, {"--port=\"80x\": "});
  expect_refusal({}, {"-exec-timeout", "ten"}, {"--exec-timeout=\"ten\": "});
  expect_refusal({}, {"--max-queu=1"}, {"--max-queu", "did you mean --max_queue?"});
  expect_refusal({}, {"--port"}, {"--port needs a value"});
  const EmptyFolder folder;
  const std::string path = folder.file("options.yaml");
  std::ofstream(path) << "mode: classic\nmax_rss: much\n";
  expect_refusal({}, {"--config", path}, {path + ":2: max_rss=\"much\": "});
  std::ofstream(path) << "mode: classic\nmax_rs: 1\n";
  expect_refusal({}, {"--config", path}, {path + ":2: unknown option \"max_rs\"; did you mean max_rss?"});
  expect_refusal({}, {"--config=/nonexistent"}, {"/nonexistent", "No such file"});
}

TEST(options, what_only_all_of_them_show_is_found_before_anything_begins) {
  struct Case {
    Variables variables;
    Words parts;
  };
  const Case cases[] = {
      {{{"mode", "streaming"}, {"fprocess", ""}}, {"provide a \"function_process\" or \"fprocess\""}},
      {{{"mode", "http"}}, {R"(For "mode=http" you must specify a valid URL for "http_upstream_url")"}},
      {{{"mode", "static"}, {"static_path", ""}}, {R"(For mode=static you must specify the "static_path" to serve)"}},
      {{{"mode", "serializing"}, {"prefork", "4"}}, {"prefork=\"4\"", "cgi_headers=false"}},
      {{{"mode", "afterburn"}, {"write_timeout", "0s"}}, {"write_timeout=\"0s\": HTTP write timeout must be over 0s"}},
      {{{"mode", "steaming"}}, {"mode=\"steaming\"", "did you mean streaming?"}},
      {{{"mode", "inproc"}}, {"mode=\"inproc\"", "Go programs only"}},
      {{{"port", ""}, {"PORT", "http"}}, {"PORT=\"http\": "}},
  };
  for (const Case& each : cases) expect_refusal(each.variables, {}, each.parts);
}

TEST(options, help_is_ordered_by_mode_and_begins_nothing) {
  const EmptyFolder folder;
  const Outcome outcome = run_watchdog(folder, {{"fprocess", "touch " + folder.file("started")}}, {"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  std::size_t at = 0;
  for (const char* part :
       {"\nModes streaming, serializing, classic", "\n  --cgi_headers BOOL", "\nMode classic:\n",
        "\n  --marshal_request BOOL", "\nMode http:\n", "\n  --http_upstream_url TEXT, --upstream_url",
        "\nMode afterburn:\n", "\n  --afterburn_pipeline N", "\nMode static:\n"}) {
    at = outcome.out.find(part, at);
    ASSERT_NE(at, std::string::npos) << part << "\nis not at its place in\n" << outcome.out;
  }
  EXPECT_TRUE(folder.empty());
}

TEST(options, platforms_give_the_port_where_nobody_else_does) {
  const WatchdogProcess watchdog(misbehave({{"port", ""}, {"PORT", "0"}}));
  EXPECT_NE(watchdog.port(), 8080);
  expect_echo(watchdog);
}

TEST(options, classic_serves_without_limits_as_its_watchdog_did) {
  const WatchdogProcess watchdog({.function = {"cat"}, .environment = {{"mode", "classic"}, {"write_timeout", "0"}}});
  EXPECT_TRUE(watchdog.wait_for_line("write: 0s hard: 0s")) << watchdog.log();
  const HttpAnswer answer = post(watchdog, "/", "hello", {{"Content-Type", "text/x-own"}});
  EXPECT_EQ(answer.status, 200) << watchdog.log();
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.header("Content-Type"), "text/x-own") << "content_type is left alone, so it is the request's";
}

TEST(options, knative_ends_at_once_and_soon) {
  WatchdogProcess watchdog(
      misbehave({{"K_SERVICE", "function"}, {"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"shutdown_timeout", "1m"}}));
  EXPECT_TRUE(watchdog.wait_for_line("Warning: shutdown_timeout=\"1m\" is cut to 10s")) << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("health: 0s")) << watchdog.log();
  watchdog.signal(SIGTERM);
  EXPECT_EQ(watchdog.wait_exit(milliseconds(20'000)), 0) << watchdog.log();
  EXPECT_TRUE(watchdog.wait_for_line("SIGTERM: no new connections in 0s")) << watchdog.log();
}

TEST(options, what_has_no_effect_or_changed_its_meaning_is_told_and_serves) {
  const WatchdogProcess watchdog(misbehave({{"http_workers", "2"},
                                            {"prefork", "3"},
                                            {"write_debug", "true"},
                                            {"cgi_headers", "1"},
                                            {"suppress_lock", "yes"},
                                            {"read_debug", "no such thing"}}));
  for (const char* line : {"Warning: http_workers=\"2\" has no effect in mode afterburn",
                           "Warning: prefork=\"3\" has no effect in mode afterburn",
                           "Warning: cgi_headers=\"1\" is read as true; classic-watchdog read it as false",
                           "Warning: suppress_lock=\"yes\" is read as true; of-watchdog read it as false"})
    EXPECT_EQ(watchdog.count_lines(line), 1U) << line << "\nis not in\n" << watchdog.log();
  EXPECT_EQ(watchdog.count_lines("write_debug") + watchdog.count_lines("read_debug"), 0U) << watchdog.log();
  expect_echo(watchdog);
}

}  // namespace
}  // namespace fwd::test
