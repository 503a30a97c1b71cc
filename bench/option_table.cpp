#include "bench/option_table.hpp"

#include <array>
#include <charconv>

namespace fwd::bench {
namespace {

constexpr unsigned kMaxConcurrency = 200'000;       // ab's
constexpr std::uint64_t kAbTimedRequests = 50'000;  // ab's -t implies -n 50000

using Problem = std::string;  // empty = none

Problem set_count(std::string_view text, std::uint64_t lowest, std::uint64_t highest, std::uint64_t& number) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = failure == std::errc() && end == text.data() + text.size() && number >= lowest && number <= highest;
  if (good) return {};
  return highest == UINT64_MAX ? "not a number above 0" : "not a number from 1 to " + std::to_string(highest);
}

Problem set_duration(std::string_view text, nanoseconds& length) {
  const auto parsed = parse_duration(text);
  if (!parsed || *parsed <= nanoseconds::zero()) return "not a time above 0, such as 30, 1.5s or 200ms";
  length = *parsed;
  return {};
}

Problem set_body(Draft& draft, std::string_view path, const char* method) {
  if (draft.options.request.has_body) return "-p and -u exclude each other";
  draft.options.request.has_body = true;
  draft.options.body_path = path;
  if (!draft.has_method) draft.options.request.method = method;
  return {};
}

Problem set_version(Draft& draft, std::string_view text) {
  if (text != "1.0" && text != "1.1") return "not 1.0 or 1.1";
  draft.options.request.version = text == "1.0" ? HttpVersion::http_10 : HttpVersion::http_11;
  return {};
}

Problem set_precision(Draft& draft, std::string_view text) {
  if (text != "ms" && text != "us") return "not ms or us";
  draft.options.precision = text == "ms" ? Precision::milliseconds : Precision::microseconds;
  return {};
}

Problem set_method(Draft& draft, std::string_view text) {
  if (text.empty() || text.find_first_of(" \t\r\n") != std::string_view::npos) return "not a method";
  draft.options.request.method = text;
  draft.has_method = true;
  return {};
}

Problem add_cookie(Draft& draft, std::string_view text) {
  auto& cookie = draft.options.request.cookie;
  if (draft.options.like_ab) cookie.clear();  // in ab the last one wins
  if (!cookie.empty()) cookie += "; ";
  cookie += text;
  return {};
}

Problem add_authorization(Draft& draft, std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  draft.options.request.authorizations.emplace_back(text);
  return {};
}

Problem set_concurrency(Draft& draft, std::string_view text) {
  std::uint64_t number = 0;
  Problem problem = set_count(text, 1, kMaxConcurrency, number);
  draft.options.concurrency = static_cast<unsigned>(number);
  return problem;
}

constexpr std::array kRows = {
    OptionRow{'n', "requests", "N", "requests to make (1; with -t: no limit)",
              [](Draft& d, std::string_view v) {
                d.has_requests = true;
                return set_count(v, 1, UINT64_MAX, d.options.requests);
              }},
    OptionRow{'c', "concurrency", "N", "connections at a time (1)", set_concurrency},
    OptionRow{'t', nullptr, "TIME",
              "end after this time: seconds, or such as 1m30s (with --ab: and after 50000 requests)",
              [](Draft& d, std::string_view v) {
                if (d.options.like_ab) d.options.requests = kAbTimedRequests, d.has_requests = true;
                return set_duration(v, d.options.time_limit);
              }},
    OptionRow{'s', "timeout", "TIME", "give up on a request after this time (30)",
              [](Draft& d, std::string_view v) { return set_duration(v, d.options.timeout); }},
    OptionRow{'p', nullptr, "FILE", "POST the bytes of this file",
              [](Draft& d, std::string_view v) { return set_body(d, v, "POST"); }},
    OptionRow{'u', nullptr, "FILE", "PUT the bytes of this file",
              [](Draft& d, std::string_view v) { return set_body(d, v, "PUT"); }},
    OptionRow{'T', nullptr, "TYPE", "content type of the body (text/plain)",
              [](Draft& d, std::string_view v) {
                d.options.request.content_type = v;
                return Problem();
              }},
    OptionRow{'m', nullptr, "METHOD", "another method", set_method},
    OptionRow{'i', nullptr, nullptr, "use HEAD",
              [](Draft& d, std::string_view) {
                d.has_head = true;
                return Problem();
              }},
    OptionRow{'H', nullptr, "FIELD", "add a header line, such as 'Accept-Encoding: gzip' (repeatable)",
              [](Draft& d, std::string_view v) {
                d.options.request.fields.emplace_back(v);
                return Problem();
              }},
    OptionRow{'C', nullptr, "COOKIE", "add a cookie, such as 'name=value' (repeatable)", add_cookie},
    OptionRow{'A', nullptr, "USER:PASS", "add basic authorization (repeatable)", add_authorization},
    OptionRow{'k', nullptr, nullptr, "keep connections alive",
              [](Draft& d, std::string_view) {
                d.options.request.keep_alive = true;
                return Problem();
              }},
    OptionRow{'l', nullptr, nullptr, "accept answers of differing length",
              [](Draft& d, std::string_view) {
                d.options.any_length = true;
                return Problem();
              }},
    OptionRow{'r', nullptr, nullptr, "go on after receive errors (always so)",
              [](Draft&, std::string_view) { return Problem(); }},
    OptionRow{'q', nullptr, nullptr, "no progress lines",
              [](Draft& d, std::string_view) {
                d.options.quiet = true;
                return Problem();
              }},
    OptionRow{'d', nullptr, nullptr, "no table of percentages",
              [](Draft& d, std::string_view) {
                d.options.without_percentiles = true;
                return Problem();
              }},
    OptionRow{'S', nullptr, nullptr, "no deviations, medians and warnings",
              [](Draft& d, std::string_view) {
                d.options.without_deviation = true;
                return Problem();
              }},
    OptionRow{0, "http", "VERSION", "1.0 (ab's request, byte for byte) or 1.1 (1.0)", set_version},
    OptionRow{0, "precision", "UNIT", "of the two tables: ms, or us for milliseconds with three decimals (ms)",
              set_precision},
    OptionRow{
        0, "ab", nullptr, "ab's banner, layout and exit codes; nothing of ours",
        [](Draft&, std::string_view) { return Problem(); }},  // found beforehand: it changes what other options mean
    OptionRow{'V', "version", nullptr, "print the version",
              [](Draft& d, std::string_view) {
                d.asks_version = true;
                return Problem();
              }},
    OptionRow{'h', "help", nullptr, "print this",
              [](Draft& d, std::string_view) {
                d.asks_help = true;
                return Problem();
              }},
};

}  // namespace

std::span<const OptionRow> option_table() {
  return kRows;
}

}  // namespace fwd::bench
