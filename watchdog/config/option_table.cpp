#include "watchdog/config/option_table.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "watchdog/config/option_readers.hpp"

namespace fwd {
namespace {

constexpr std::size_t kLongestHead = 64 * 1024;  // what one connection holds of its input

using Text = std::string_view;

// clang-format off: one option, three or four lines
constexpr Option kOptions[] = {
    {"mode", "", Kind::choice, "streaming",
     "How the function is asked: afterburn; http, streaming, serializing, classic, static are not built yet",
     [](Config& c, Text t) { return read_mode(c.mode, t); }},
    {"function_process", "fprocess", Kind::text, "",
     "The function's command, split with a shell's quoting, or a JSON array of strings. A command after `--` is "
     "used instead",
     [](Config& c, Text t) { return read_text(c.fprocess, t); }},
    {"port", "", Kind::count, "8080", "Port of the listener; 0 takes any free one and logs it",
     [](Config& c, Text t) { return read_port(c.port, t); }},
    {"read_timeout", "", Kind::duration, "30s", "Limit for reading a request, head and body; 0 is none",
     [](Config& c, Text t) { return read_duration(c.read_timeout, t, Sign::any); }},
    {"write_timeout", "", Kind::duration, "30s",
     "Limit for a whole request, the wait for a worker included; answered with 504 half a second before. Must be over "
     "0",
     [](Config& c, Text t) { return read_write_timeout(c.write_timeout, t); }},
    {"exec_timeout", "", Kind::duration, "30s",
     "Limit for the function, from the moment it has the request; 0 or less is none",
     [](Config& c, Text t) { return read_duration(c.exec_timeout, t, Sign::any); }},
    {"keepalive_timeout", "", Kind::duration, "as read_timeout",
     "How long a connection may be idle between requests; 0 is no limit",
     [](Config& c, Text t) { return read_duration(c.keepalive_timeout, t, Sign::not_negative); }},
    {"max_inflight", "", Kind::count, "0",
     "Requests at one time, those that wait included; more are answered 429. 0 is no limit",
     [](Config& c, Text t) { return read_max_inflight(c.max_inflight, t); }},
    {"max_connections", "", Kind::count, "80 % of RLIMIT_NOFILE", "Open client connections",
     [](Config& c, Text t) { return read_count(c.max_connections, t, {.least = 1}); }},
    {"max_head_bytes", "", Kind::size, "32Ki", "Request line and header fields; longer is answered 431",
     [](Config& c, Text t) { return read_size(c.max_head_bytes, t, 1024, kLongestHead); }},
    {"max_body", "", Kind::size, "0", "Request body; longer is answered 413. 0 is no limit",
     [](Config& c, Text t) { return read_size(c.max_body_bytes, t, 0); }},
    {"body_memory", "", Kind::size, "1Mi",
     "How much of one request body is held in memory; the rest goes to an unlinked file",
     [](Config& c, Text t) { return read_size(c.body_memory_bytes, t, 0); }},
    {"content_type", "", Kind::text, "application/octet-stream",
     "Content-Type of every answer of streaming and serializing",
     [](Config& c, Text t) { return read_text(c.content_type, t); }},
    {"duration_header", "", Kind::boolean, "by mode",
     "Send X-Duration-Seconds; left alone, serializing, http and classic do, the others do not",
     [](Config& c, Text t) { return read_flag(c.duration_header, t, OldBoolean::never); }},
    {"afterburn_workers", "", Kind::count, "auto",
     "Processes of the function; auto is one a core. Left alone with afterburn or fast_fork: 1",
     [](Config& c, Text t) { return read_workers(c.afterburn_workers, t); }},
    {"afterburn_units", "", Kind::choice, "auto",
     "What the function's Content-Length counts: bytes, codepoints, utf16; auto goes by the program with afterburn or "
     "fast_fork, else bytes",
     [](Config& c, Text t) { return read_units(c.afterburn_units, t); }},
    {"afterburn_stray", "", Kind::choice, "replace",
     "What a worker that wrote outside an answer gets: replace, or only a log line: log",
     [](Config& c, Text t) { return read_stray(c.afterburn_stray, t); }},
    {"afterburn_methods", "", Kind::text, "",
     "Methods that reach the function, as in GET,POST; others are answered 405. Empty is all",
     [](Config& c, Text t) { return read_methods(c.afterburn_methods, t); }},
    {"max_queue", "", Kind::count, "1024", "Requests that wait for a worker; more are answered 429",
     [](Config& c, Text t) { return read_count(c.max_queue, t, {}); }},
    {"max_queue_wait", "", Kind::duration, "10s",
     "How long a request may wait for a worker before it is answered 429; 0 is no limit of its own",
     [](Config& c, Text t) { return read_duration(c.max_queue_wait, t, Sign::not_negative); }},
    {"response_fd", "", Kind::count, "0", "3: the function answers on descriptor 3 and its stdout is a log",
     [](Config& c, Text t) { return read_response_fd(c.response_fd, t); }},
    {"afterburn", "", Kind::text, "", "Any text: an old image; selects mode afterburn when mode is unset",
     [](Config& c, Text t) { return read_text(c.afterburn, t); }},
    {"fast_fork", "", Kind::text, "", "The same under its first name",
     [](Config& c, Text t) { return read_text(c.fast_fork, t); }},
    {"metrics_port", "", Kind::count, "8081",
     "Port of /metrics; 0 is off. Equal to port: one listener for both. Left alone and in the way: off",
     [](Config& c, Text t) {
       std::uint16_t port = 0;
       Reading reading = read_port(port, t);
       if (reading.problem.empty()) c.metrics_port = port;
       return reading;
     }},
    {"suppress_lock", "", Kind::boolean, "false", "Write no lock file",
     [](Config& c, Text t) { return read_flag(c.suppress_lock, t, OldBoolean::true_or_1); }},
    {"healthcheck_interval", "", Kind::duration, "write_timeout within Kubernetes, else 0",
     "How long requests are still accepted after SIGTERM, while health and readiness say 503",
     [](Config& c, Text t) { return read_duration(c.healthcheck_interval, t, Sign::any); }},
    {"shutdown_timeout", "", Kind::duration, "interval + write_timeout",
     "How long the whole end may take; healthcheck_interval gets at most half of it. Must be over 0",
     [](Config& c, Text t) { return read_duration(c.shutdown_timeout, t, Sign::positive); }},
    {"prefix_logs", "", Kind::boolean, "true", "Date and stream before each line of the function's output",
     [](Config& c, Text t) { return read_flag(c.prefix_logs, t, OldBoolean::go_else_true); }},
    {"log_buffer_size", "", Kind::size, "64Ki",
     "Longest line of the function's output that is logged in one piece; negative: 1 MiB",
     [](Config& c, Text t) { return read_log_buffer(c.log_buffer_bytes, t); }},
    {"log_callid", "log_call_id", Kind::boolean, "false", "The X-Call-Id at the end of each request's log line",
     [](Config& c, Text t) { return read_flag(c.log_callid, t, OldBoolean::go_else_false); }},
    {"config", "", Kind::text, "", "YAML file with any of these options but this; none is read by default",
     [](Config&, Text) { return Reading{}; }, Place::flag_only},
};
// clang-format on

std::string with_underscores(std::string_view name) {
  std::string result(name);
  std::replace(result.begin(), result.end(), '-', '_');
  return result;
}

/// Levenshtein's distance: how many characters to insert, delete or replace.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

}  // namespace

std::span<const Option> option_table() {
  return kOptions;
}

const Option* find_option(std::string_view name) {
  const std::string wanted = with_underscores(name);
  for (const Option& option : kOptions)
    if (wanted == option.name || (!option.also.empty() && wanted == option.also)) return &option;
  return nullptr;
}

std::string_view nearest_option(std::string_view name) {
  constexpr std::size_t kLongestName = 64;  // the price grows with the length; no option is half as long
  const std::string wanted = with_underscores(name.substr(0, kLongestName));
  std::size_t least = wanted.size() / 3 + 1;  // a third of the characters wrong is another word
  std::string_view nearest;
  for (const Option& option : kOptions) {
    for (const std::string_view spelling : {option.name, option.also}) {
      const std::size_t difference = spelling.empty() ? least + 1 : distance(wanted, spelling);
      if (difference > least || (difference == least && !nearest.empty())) continue;
      least = difference;
      nearest = spelling;
    }
  }
  return nearest;
}

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "TEXT";
    case Kind::boolean:
      return "BOOL";
    case Kind::count:
      return "N";
    case Kind::size:
      return "BYTES";
    case Kind::duration:
      return "DURATION";
    case Kind::choice:
      return "NAME";
  }
  return "";
}

}  // namespace fwd
