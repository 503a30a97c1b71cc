#include "watchdog/config/option_readers.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <utility>

namespace fwd {
namespace {

// A line longer than this is cut even where an old watchdog had no limit: every buffer has one.
constexpr std::size_t kLongestLogLine = 1024 * 1024;

Reading problem(std::string text) {
  return {.problem = std::move(text), .warning = {}, .changed = {}};
}

/// What the environment's `text` meant to an old watchdog.
bool old_value(std::string_view text, OldBoolean old) {
  constexpr std::string_view kGoTrue[] = {"1", "t", "T", "TRUE", "true", "True"};
  constexpr std::string_view kGoFalse[] = {"0", "f", "F", "FALSE", "false", "False"};
  const auto among = [text](const auto& list) {
    return std::find(std::begin(list), std::end(list), text) != std::end(list);
  };
  if (old == OldBoolean::only_true) return text == "true";
  if (old == OldBoolean::true_or_1) return text == "true" || text == "1";
  if (old == OldBoolean::go_else_true) return !among(kGoFalse);
  return among(kGoTrue);
}

bool is_token_character(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";  // RFC 9110 5.6.2
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || kMarks.find(c) != std::string_view::npos;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return result;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

/// The member for a phase, or null.
std::optional<nanoseconds>* find_phase(UpstreamPhases& timeouts, std::string_view name) {
  if (name == "connect") return &timeouts.connect;
  if (name == "first_byte") return &timeouts.first_byte;
  if (name == "idle") return &timeouts.idle;
  if (name == "total") return &timeouts.total;
  return nullptr;
}

Reading read_phase(std::optional<nanoseconds>& setting, std::string_view name, std::string_view text) {
  nanoseconds length{};
  Reading reading = read_duration(length, text, Sign::positive);
  if (reading.problem.empty())
    setting = length;
  else
    reading.problem = std::string(name) + ": " + reading.problem;
  return reading;
}

/// One `phase=DURATION`.
Reading read_limit(UpstreamPhases& timeouts, std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  std::optional<nanoseconds>* const limit = find_phase(timeouts, name);
  if (limit == nullptr || equals == std::string_view::npos)
    return problem(in_quotes(text) + " is no connect=, first_byte=, idle= or total= with a duration");
  if (*limit) return problem(std::string(name) + ": given twice");
  return read_phase(*limit, name, text.substr(equals + 1));
}

}  // namespace

Reading read_text(std::string& setting, std::string_view text) {
  setting = text;
  return {};
}

Reading read_flag(bool& setting, std::string_view text, OldBoolean old) {
  const auto value = parse_boolean(text);
  if (!value) return problem("not a boolean (true, false, 1, 0, yes, no, on, off)");
  setting = *value;
  if (old == OldBoolean::never || old_value(text, old) == *value) return {};
  const std::string watchdog = old == OldBoolean::only_true ? "classic-watchdog" : "of-watchdog";
  const std::string changed =
      *value ? "true; " + watchdog + " read it as false" : "false; " + watchdog + " read it as true";
  return {.problem = {}, .warning = {}, .changed = "is read as " + changed};
}

Reading read_duration(nanoseconds& setting, std::string_view text, Sign sign) {
  const auto value = parse_duration(text);
  if (!value) return problem("not a duration (seconds as in 30, or as in 1m30s, 500ms)");
  if (sign == Sign::not_negative && *value < nanoseconds::zero()) return problem("must not be negative");
  if (sign == Sign::positive && *value <= nanoseconds::zero()) return problem("must be over 0s");
  setting = *value;
  return {};
}

Reading read_size(std::size_t& setting, std::string_view text, std::size_t least, std::size_t most) {
  const auto value = parse_bytes(text);
  if (!value) return problem("not a size (bytes as in 65536, or as in 64Ki, 1M)");
  if (*value < least) return problem("must be at least " + std::to_string(least));
  if (*value > most) return problem("must be at most " + std::to_string(most));
  setting = *value;
  return {};
}

Reading read_count(std::size_t& setting, std::string_view text, Range range) {
  const auto value = parse_integer(text);
  if (!value || *value < range.least || *value > range.most)
    return problem("not a whole number from " + std::to_string(range.least) + " to " + std::to_string(range.most));
  setting = static_cast<std::size_t>(*value);
  return {};
}

Reading read_port(std::uint16_t& setting, std::string_view text) {
  std::size_t port = setting;
  Reading reading = read_count(port, text, {.least = 0, .most = 65535});
  setting = static_cast<std::uint16_t>(port);
  return reading;
}

Reading read_field_value(std::string& setting, std::string_view text) {
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) return problem("not a header field's value");
  setting = text;
  return {};
}

Reading read_address(std::string& setting, std::string_view text) {
  const std::string address(text);
  in6_addr ignored{};  // room for either kind
  const bool known = address.find('\0') == std::string::npos && (inet_pton(AF_INET, address.c_str(), &ignored) == 1 ||
                                                                 inet_pton(AF_INET6, address.c_str(), &ignored) == 1);
  if (!known) return problem("not an IPv4 or IPv6 address such as 127.0.0.1 or ::1");
  setting = address;
  return {};
}

Reading read_path(std::string& setting, std::string_view text, Query query) {
  const auto is_wrong = [query](char c) { return c <= ' ' || c > '~' || c == '#' || (c == '?' && query == Query::no); };
  if (!text.starts_with('/') || std::any_of(text.begin(), text.end(), is_wrong))
    return problem("not a path such as /path");
  setting = text;
  return {};
}

Reading read_methods(std::vector<std::string>& setting, std::string_view text) {
  std::vector<std::string> methods;
  while (true) {
    const std::size_t comma = text.find(',');
    methods.push_back(upper(trimmed(text.substr(0, comma))));
    if (methods.back().empty() || !std::all_of(methods.back().begin(), methods.back().end(), is_token_character))
      return problem("not a list of methods such as GET,POST");
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  setting = std::move(methods);
  return {};
}

Reading read_upstream_timeouts(UpstreamPhases& setting, std::string_view text) {
  UpstreamPhases value;
  if (text.find_first_of("=,") == std::string_view::npos) {
    if (Reading reading = read_phase(value.total, "total", text); !reading.problem.empty()) return reading;
    setting = value;
    return {};
  }
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view part = trimmed(text.substr(0, comma));
    if (Reading reading = read_limit(value, part); !reading.problem.empty()) return reading;
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  setting = value;
  return {};
}

Reading read_response_fd(int& setting, std::string_view text) {
  if (text != "0" && text != "3") return problem("not 0 (answers on stdout) or 3 (answers on descriptor 3)");
  setting = text == "3" ? 3 : 0;
  return {};
}

Reading read_workers(std::optional<std::size_t>& setting, std::string_view text) {
  if (text == "auto") {
    setting.reset();
    return {};
  }
  std::size_t workers = 0;
  Reading reading = read_count(workers, text, {.least = 1, .most = 1024});
  if (reading.problem.empty())
    setting = workers;
  else
    reading.problem += ", or auto";
  return reading;
}

Reading read_max_inflight(std::size_t& setting, std::string_view text) {
  const auto value = parse_integer(text);
  if (!value || *value >= 0) return read_count(setting, text, {});
  setting = 0;  // as in of-watchdog
  return {.problem = {}, .warning = "negative, so there is no limit", .changed = {}};
}

Reading read_log_buffer(std::size_t& setting, std::string_view text) {
  const auto value = parse_integer(text);
  if (!value || *value >= 0) return read_size(setting, text, 1);
  setting = kLongestLogLine;  // of-watchdog: any length
  return {};
}

}  // namespace fwd
