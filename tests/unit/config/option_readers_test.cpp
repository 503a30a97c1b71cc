#include "watchdog/config/option_readers.hpp"

#include <gtest/gtest.h>
#include <set>

#include "tests/unit/config/read.hpp"
#include "watchdog/config/option_table.hpp"

namespace fwd {
namespace {

/// One option, a text, and whether a Config holds what the text says.
struct GoodRow {
  std::string_view name;
  std::string_view text;
  bool (*holds)(const Config&);
};

using C = const Config&;

constexpr GoodRow kGood[] = {
    {"mode", "classic", [](C c) { return c.mode == ModeName::classic; }},
    {"mode", "static", [](C c) { return c.mode == ModeName::static_files; }},
    {"mode", "http", [](C c) { return c.mode == ModeName::http; }},
    {"mode", "serializing", [](C c) { return c.mode == ModeName::serializing; }},
    {"mode", "afterburn", [](C c) { return c.mode == ModeName::afterburn; }},
    {"function_process", "cat -n", [](C c) { return c.fprocess == "cat -n"; }},
    {"fprocess", "cat -n", [](C c) { return c.fprocess == "cat -n"; }},
    {"exec_timeout", "-1s", [](C c) { return c.exec_timeout == seconds(-1); }},
    {"cancel_on_disconnect", "false", [](C c) { return !c.cancel_on_disconnect; }},
    {"one_shot", "on", [](C c) { return c.one_shot; }},
    {"content_type", "text/plain", [](C c) { return c.content_type == "text/plain"; }},
    {"max_children", "7", [](C c) { return c.max_children == 7; }},
    {"prefork", "1024", [](C c) { return c.prefork == 1024; }},
    {"cgi_headers", "false", [](C c) { return !c.cgi_headers; }},
    {"cgi_vars", "rfc3875", [](C c) { return c.cgi_vars == CgiVars::rfc3875; }},
    {"cgi_response", "yes", [](C c) { return c.cgi_response; }},
    {"marshal_request", "true", [](C c) { return c.marshal_request; }},
    {"marshal_requests", "true", [](C c) { return c.marshal_request; }},
    {"combine_output", "false", [](C c) { return !c.combine_output; }},
    {"write_debug", "true", [](C c) { return c.write_debug; }},
    {"debug_headers", "true", [](C c) { return c.debug_headers; }},
    {"http_upstream_url", "http://a:1", [](C c) { return c.upstream_url == "http://a:1"; }},
    {"upstream_url", "http://a:1", [](C c) { return c.upstream_url == "http://a:1"; }},
    {"upstream_timeout", "1m", [](C c) { return c.upstream_timeout.total == seconds(60); }},
    {"http_buffer_req_body", "1", [](C c) { return c.http_buffer_req_body; }},
    {"buffer_http", "1", [](C c) { return c.buffer_http; }},
    {"http_workers", "1024", [](C c) { return c.http_workers == 1024; }},
    {"on_function_exit", "exit", [](C c) { return c.on_function_exit == FunctionExit::exit; }},
    {"tunnel_idle_timeout", "0", [](C c) { return c.tunnel_idle_timeout == seconds(0); }},
    {"tunnel_timeout", "2m", [](C c) { return c.tunnel_timeout == seconds(120); }},
    {"afterburn_workers", "3", [](C c) { return c.afterburn_workers == std::optional<std::size_t>(3); }},
    {"afterburn_pipeline", "64", [](C c) { return c.afterburn_pipeline == 64; }},
    {"afterburn_units", "utf16", [](C c) { return c.afterburn_units == AfterburnUnits::utf16; }},
    {"afterburn_stray", "log", [](C c) { return c.afterburn_stray == StrayOutput::log; }},
    {"afterburn_methods", "get, POST",
     [](C c) {
       return c.afterburn_methods == std::vector<std::string>{"GET", "POST"};
     }},
    {"response_fd", "3", [](C c) { return c.response_fd == 3; }},
    {"afterburn", "any", [](C c) { return c.is_old_image(); }},
    {"fast_fork", "any", [](C c) { return c.is_old_image(); }},
    {"max_queue", "0", [](C c) { return c.max_queue == 0; }},
    {"max_queue_wait", "1500ms", [](C c) { return c.max_queue_wait == milliseconds(1500); }},
    {"max_requests", "1000", [](C c) { return c.max_requests == 1000; }},
    {"max_lifetime", "1h", [](C c) { return c.max_lifetime == seconds(3600); }},
    {"max_rss", "64Mi", [](C c) { return c.max_rss_bytes == 64U * 1024 * 1024; }},
    {"static_path", "/srv", [](C c) { return c.static_path == "/srv"; }},
    {"static_archive", "/srv.tar", [](C c) { return c.static_archive == "/srv.tar"; }},
    {"static_listing", "true", [](C c) { return c.static_listing; }},
    {"cache_control", "max-age=60", [](C c) { return c.cache_control == "max-age=60"; }},
    {"bind_address", "127.0.0.1", [](C c) { return c.bind_address == "127.0.0.1"; }},
    {"bind_address", "fd00::1", [](C c) { return c.bind_address == "fd00::1"; }},
    {"port", "65535", [](C c) { return c.port == 65535; }},
    {"read_timeout", "1m30s", [](C c) { return c.read_timeout == seconds(90); }},
    {"write_timeout", "5", [](C c) { return c.write_timeout == seconds(5); }},
    {"keepalive_timeout", "0", [](C c) { return c.keepalive_timeout == seconds(0); }},
    {"max_inflight", "9", [](C c) { return c.max_inflight == 9; }},
    {"max_connections", "1", [](C c) { return c.max_connections == 1; }},
    {"max_head_bytes", "8192", [](C c) { return c.max_head_bytes == 8192; }},
    {"max_body", "2Mi", [](C c) { return c.max_body_bytes == 2U * 1024 * 1024; }},
    {"body_memory", "64Ki", [](C c) { return c.body_memory_bytes == 65536; }},
    {"duration_header", "true", [](C c) { return c.duration_header; }},
    {"ready_path", "/ready?deep=1", [](C c) { return c.ready_path == "/ready?deep=1"; }},
    {"suppress_lock", "true", [](C c) { return c.suppress_lock; }},
    {"healthcheck_interval", "5s", [](C c) { return c.healthcheck_interval == seconds(5); }},
    {"shutdown_timeout", "5s", [](C c) { return c.shutdown_timeout == seconds(5); }},
    {"metrics_port", "0", [](C c) { return c.metrics_port == std::optional<std::uint16_t>(0); }},
    {"metrics_path", "/_/metrics", [](C c) { return c.metrics_path == "/_/metrics"; }},
    {"log_format", "json", [](C c) { return c.log_format == LogFormat::json; }},
    {"log_format", "logfmt", [](C c) { return c.log_format == LogFormat::logfmt; }},
    {"access_log", "errors", [](C c) { return c.access_log == AccessLogged::errors; }},
    {"access_log", "none", [](C c) { return c.access_log == AccessLogged::none; }},
    {"log_callid", "t", [](C c) { return c.log_callid; }},
    {"log_call_id", "t", [](C c) { return c.log_callid; }},
    {"trace_context", "true", [](C c) { return c.trace_context; }},
    {"prefix_logs", "off", [](C c) { return !c.prefix_logs; }},
    {"log_buffer_size", "-1", [](C c) { return c.log_buffer_bytes == 1024U * 1024; }},
};

TEST(OptionReaders, good_texts_reach_their_members) {
  for (const GoodRow& row : kGood) {
    const Option* const option = find_option(row.name);
    ASSERT_NE(option, nullptr) << row.name;
    Config config;
    EXPECT_FALSE(row.holds(config)) << row.name << ": that is the default, which shows nothing";
    const Reading reading = option->read(config, row.text);
    EXPECT_EQ(reading.problem + reading.warning, "") << row.name;
    EXPECT_TRUE(row.holds(config)) << row.name << '=' << row.text;
  }
}

TEST(OptionReaders, every_spelling_has_a_good_text_here) {
  std::set<std::string_view> tested;
  for (const GoodRow& row : kGood) tested.insert(row.name);
  for (const Option& option : option_table()) {
    if (option.place == Place::flag_only) continue;
    EXPECT_TRUE(tested.contains(option.name)) << option.name;
    EXPECT_TRUE(option.also.empty() || tested.contains(option.also)) << option.also;
  }
}

struct BadRow {
  const char* name;
  const char* value;
  std::string_view problem;
};

constexpr std::string_view kNoBoolean = "not a boolean (true, false, 1, 0, yes, no, on, off)";
constexpr std::string_view kNoDuration = "not a duration (seconds as in 30, or as in 1m30s, 500ms)";
constexpr std::string_view kNoSize = "not a size (bytes as in 65536, or as in 64Ki, 1M)";
constexpr std::string_view kNoPort = "not a whole number from 0 to 65535";
constexpr std::string_view kNoCount = "not a whole number from 0 to 2147483647";
constexpr std::string_view kNoWorkers = "not a whole number from 1 to 1024";
constexpr std::string_view kNoPath = "not a path such as /path";
constexpr std::string_view kNoAddress = "not an IPv4 or IPv6 address such as 127.0.0.1 or ::1";

constexpr BadRow kBad[] = {
    {"mode", "Http", "not one of afterburn, http, streaming, serializing, classic, static; did you mean http?"},
    {"mode", "steaming",
     "not one of afterburn, http, streaming, serializing, classic, static; did you mean streaming?"},
    {"mode", "lambda", "not one of afterburn, http, streaming, serializing, classic, static"},
    {"mode", "inproc", "for Go programs only, which link the watchdog"},
    {"exec_timeout", "-5", kNoDuration},
    {"cancel_on_disconnect", "maybe", kNoBoolean},
    {"one_shot", "once", kNoBoolean},
    {"content_type", "text/plain\r\nX: y", "not a header field's value"},
    {"max_children", "-1", kNoCount},
    {"prefork", "1025", "not a whole number from 0 to 1024"},
    {"cgi_headers", "tRue", kNoBoolean},
    {"cgi_vars", "cgi", "not one of openfaas, rfc3875"},
    {"cgi_response", "2", kNoBoolean},
    {"marshal_request", "json", kNoBoolean},
    {"combine_output", " true", kNoBoolean},
    {"write_debug", "debug", kNoBoolean},
    {"debug_headers", "all", kNoBoolean},
    {"upstream_timeout", "soon", "total: not a duration (seconds as in 30, or as in 1m30s, 500ms)"},
    {"upstream_timeout", "0", "total: must be over 0s"},
    {"upstream_timeout", "connect=5x", "connect: not a duration (seconds as in 30, or as in 1m30s, 500ms)"},
    {"upstream_timeout", "connect=", "connect: not a duration (seconds as in 30, or as in 1m30s, 500ms)"},
    {"upstream_timeout", "connect=5,first_byte=-1s", "first_byte: must be over 0s"},
    {"upstream_timeout", "idle=0", "idle: must be over 0s"},
    {"upstream_timeout", "total=0s", "total: must be over 0s"},
    {"upstream_timeout", "idle=1,idle=2", "idle: given twice"},
    {"upstream_timeout", "body=1", "\"body=1\" is no connect=, first_byte=, idle= or total= with a duration"},
    {"upstream_timeout", "idle=1,", "\"\" is no connect=, first_byte=, idle= or total= with a duration"},
    {"upstream_timeout", "5,idle=1", "\"5\" is no connect=, first_byte=, idle= or total= with a duration"},
    {"upstream_timeout", "idle,total=1", "\"idle\" is no connect=, first_byte=, idle= or total= with a duration"},
    {"http_buffer_req_body", "chunked", kNoBoolean},
    {"buffer_http", "chunked", kNoBoolean},
    {"http_workers", "0", kNoWorkers},
    {"http_workers", "auto", kNoWorkers},
    {"on_function_exit", "stop", "not one of restart, exit"},
    {"tunnel_idle_timeout", "-1s", "must not be negative"},
    {"tunnel_timeout", "never", kNoDuration},
    {"afterburn_workers", "0", "not a whole number from 1 to 1024, or auto"},
    {"afterburn_workers", "many", "not a whole number from 1 to 1024, or auto"},
    {"afterburn_pipeline", "0", "not a whole number from 1 to 64"},
    {"afterburn_pipeline", "65", "not a whole number from 1 to 64"},
    {"afterburn_units", "chars", "not one of auto, bytes, codepoints, utf16"},
    {"afterburn_stray", "kill", "not one of replace, log"},
    {"afterburn_methods", "GET,,POST", "not a list of methods such as GET,POST"},
    {"afterburn_methods", "GET POST", "not a list of methods such as GET,POST"},
    {"response_fd", "4", "not 0 (answers on stdout) or 3 (answers on descriptor 3)"},
    {"max_queue", "-1", kNoCount},
    {"max_queue_wait", "-1s", "must not be negative"},
    {"max_requests", "1k", kNoCount},
    {"max_lifetime", "-1s", "must not be negative"},
    {"max_lifetime", "1d", kNoDuration},
    {"max_rss", "64MB", kNoSize},
    {"static_listing", "html", kNoBoolean},
    {"cache_control", "no-store\n", "not a header field's value"},
    {"bind_address", "localhost", kNoAddress},
    {"bind_address", "127.0.0.1:80", kNoAddress},
    {"bind_address", "[::1]", kNoAddress},
    {"bind_address", "127.1", kNoAddress},
    {"bind_address", "fe80::1%lo", kNoAddress},
    {"port", "abc", kNoPort},
    {"port", "70000", kNoPort},
    {"port", "-1", kNoPort},
    {"port", " 80", kNoPort},
    {"read_timeout", "5x", kNoDuration},
    {"write_timeout", "5 s", kNoDuration},
    {"keepalive_timeout", "-1s", "must not be negative"},
    {"max_inflight", "x", kNoCount},
    {"max_connections", "0", "not a whole number from 1 to 2147483647"},
    {"max_head_bytes", "10", "must be at least 1024"},
    {"max_head_bytes", "65Ki", "must be at most 65536"},
    {"max_body", "1.5M", kNoSize},
    {"body_memory", "-1", kNoSize},
    {"duration_header", "X-Duration", kNoBoolean},
    {"ready_path", "ready", kNoPath},
    {"ready_path", "/a b", kNoPath},
    {"ready_path", "/a#b", kNoPath},
    {"ready_path", "/a\r\nX: y", kNoPath},
    {"suppress_lock", "maybe", kNoBoolean},
    {"healthcheck_interval", "x", kNoDuration},
    {"shutdown_timeout", "0s", "must be over 0s"},
    {"metrics_port", "65536", kNoPort},
    {"metrics_path", "metrics", kNoPath},
    {"metrics_path", "/metrics?x", kNoPath},
    {"log_format", "JSON", "not one of text, json, logfmt"},
    {"access_log", "off", "not one of all, errors, none"},
    {"log_callid", "x", kNoBoolean},
    {"trace_context", "w3c", kNoBoolean},
    {"prefix_logs", "maybe", kNoBoolean},
    {"log_buffer_size", "x", kNoSize},
    {"log_buffer_size", "0", "must be at least 1"},
};

TEST(OptionReaders, malformed_texts_are_errors_that_name_option_and_value) {
  for (const BadRow& row : kBad) {
    const std::string named = std::string(row.name) + '=' + in_quotes(row.value) + ": " + std::string(row.problem);
    EXPECT_EQ(error_of({}, {{"fprocess", "cat"}, {row.name, row.value}}), named);
    const std::string flag = "--" + std::string(row.name) + "=" + row.value;
    EXPECT_EQ(error_of({flag.c_str(), "--", "cat"}), "--" + named);
  }
}

TEST(OptionReaders, malformed_texts_leave_the_setting_alone) {
  for (const BadRow& row : kBad) {
    Config config;
    EXPECT_NE(find_option(row.name)->read(config, row.value).problem, "") << row.name;
    EXPECT_TRUE(config == Config{}) << row.name << '=' << row.value;
  }
}

TEST(OptionReaders, every_option_that_can_be_malformed_has_a_row_here) {
  // Any text will do for these; whether a URL is one is said by the mode.
  const std::set<std::string_view> kAnyText = {"function_process", "http_upstream_url", "afterburn", "fast_fork",
                                               "static_path",      "static_archive",    "config"};
  std::set<std::string_view> tested;
  for (const BadRow& row : kBad) tested.insert(row.name);
  for (const Option& option : option_table())
    EXPECT_NE(tested.contains(option.name), kAnyText.contains(option.name)) << option.name;
}

TEST(OptionReaders, timeouts_of_an_upstream_go_by_phase) {
  struct Row {
    std::string_view text;
    UpstreamPhases expected;
  };
  const Row rows[] = {
      {"30", {.connect = {}, .first_byte = {}, .idle = {}, .total = seconds(30)}},
      {"connect=500ms", {.connect = milliseconds(500), .first_byte = {}, .idle = {}, .total = {}}},
      {"total=1m, idle=30", {.connect = {}, .first_byte = {}, .idle = seconds(30), .total = seconds(60)}},
      {"connect=5s,first_byte=10s,idle=30s,total=1m",
       {.connect = seconds(5), .first_byte = seconds(10), .idle = seconds(30), .total = seconds(60)}},
  };
  for (const Row& row : rows) {
    UpstreamPhases timeouts{.connect = seconds(1), .first_byte = seconds(1), .idle = seconds(1), .total = seconds(1)};
    EXPECT_EQ(read_upstream_timeouts(timeouts, row.text).problem, "") << row.text;
    EXPECT_TRUE(timeouts == row.expected) << row.text;
  }
}

TEST(OptionReaders, addresses_and_fields_end_where_they_end) {
  std::string text = "before";
  EXPECT_NE(read_address(text, std::string_view("::1\0x", 5)).problem, "");
  EXPECT_NE(read_field_value(text, std::string_view("a\0b", 3)).problem, "");
  EXPECT_NE(read_path(text, std::string_view("/a\0b", 4), Query::yes).problem, "");
  EXPECT_EQ(text, "before");
}

}  // namespace
}  // namespace fwd
