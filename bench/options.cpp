#include "bench/options.hpp"

#include <array>
#include <charconv>
#include <getopt.h>
#include <string_view>
#include <vector>

#include "bench/version.hpp"

namespace fwd::bench {
namespace {

constexpr unsigned kMaxConcurrency = 200'000;       // ab's
constexpr std::uint64_t kAbTimedRequests = 50'000;  // ab's -t implies -n 50000

/// What the rows collect before the whole is judged.
struct Draft {
  Options options;
  bool has_requests = false;
  bool has_method = false;
  bool has_head = false;
  bool asks_help = false;
  bool asks_version = false;
};

using Problem = std::string;  // empty = none
using Setter = Problem (*)(Draft&, std::string_view value);

/// One option: `letter` 0 has no short form, `name` nullptr no long one, `argument` nullptr takes no value.
struct Row {
  char letter;
  const char* name;
  const char* argument;
  const char* help;
  Setter set;
};

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
    Row{'n', "requests", "N", "requests to make (1; with -t: no limit)",
        [](Draft& d, std::string_view v) {
          d.has_requests = true;
          return set_count(v, 1, UINT64_MAX, d.options.requests);
        }},
    Row{'c', "concurrency", "N", "connections at a time (1)", set_concurrency},
    Row{'t', nullptr, "TIME", "end after this time: seconds, or such as 1m30s (with --ab: and after 50000 requests)",
        [](Draft& d, std::string_view v) {
          if (d.options.like_ab) d.options.requests = kAbTimedRequests, d.has_requests = true;
          return set_duration(v, d.options.time_limit);
        }},
    Row{'s', "timeout", "TIME", "give up on a request after this time (30)",
        [](Draft& d, std::string_view v) { return set_duration(v, d.options.timeout); }},
    Row{'p', nullptr, "FILE", "POST the bytes of this file",
        [](Draft& d, std::string_view v) { return set_body(d, v, "POST"); }},
    Row{'u', nullptr, "FILE", "PUT the bytes of this file",
        [](Draft& d, std::string_view v) { return set_body(d, v, "PUT"); }},
    Row{'T', nullptr, "TYPE", "content type of the body (text/plain)",
        [](Draft& d, std::string_view v) {
          d.options.request.content_type = v;
          return Problem();
        }},
    Row{'m', nullptr, "METHOD", "another method", set_method},
    Row{'i', nullptr, nullptr, "use HEAD",
        [](Draft& d, std::string_view) {
          d.has_head = true;
          return Problem();
        }},
    Row{'H', nullptr, "FIELD", "add a header line, such as 'Accept-Encoding: gzip' (repeatable)",
        [](Draft& d, std::string_view v) {
          d.options.request.fields.emplace_back(v);
          return Problem();
        }},
    Row{'C', nullptr, "COOKIE", "add a cookie, such as 'name=value' (repeatable)", add_cookie},
    Row{'A', nullptr, "USER:PASS", "add basic authorization (repeatable)", add_authorization},
    Row{'k', nullptr, nullptr, "keep connections alive",
        [](Draft& d, std::string_view) {
          d.options.request.keep_alive = true;
          return Problem();
        }},
    Row{'l', nullptr, nullptr, "accept answers of differing length",
        [](Draft& d, std::string_view) {
          d.options.any_length = true;
          return Problem();
        }},
    Row{'r', nullptr, nullptr, "go on after receive errors (always so)",
        [](Draft&, std::string_view) { return Problem(); }},
    Row{'q', nullptr, nullptr, "no progress lines",
        [](Draft& d, std::string_view) {
          d.options.quiet = true;
          return Problem();
        }},
    Row{'d', nullptr, nullptr, "no table of percentages",
        [](Draft& d, std::string_view) {
          d.options.without_percentiles = true;
          return Problem();
        }},
    Row{'S', nullptr, nullptr, "no deviations, medians and warnings",
        [](Draft& d, std::string_view) {
          d.options.without_deviation = true;
          return Problem();
        }},
    Row{0, "http", "VERSION", "1.0 (ab's request, byte for byte) or 1.1 (1.0)", set_version},
    Row{0, "precision", "UNIT", "of the two tables: ms, or us for milliseconds with three decimals (ms)",
        set_precision},
    Row{0, "ab", nullptr, "ab's banner, layout and exit codes; nothing of ours",
        [](Draft&, std::string_view) { return Problem(); }},  // found beforehand: it changes what other options mean
    Row{'V', "version", nullptr, "print the version",
        [](Draft& d, std::string_view) {
          d.asks_version = true;
          return Problem();
        }},
    Row{'h', "help", nullptr, "print this",
        [](Draft& d, std::string_view) {
          d.asks_help = true;
          return Problem();
        }},
};

std::string label(const Row& row) {
  return row.letter != 0 ? std::string("-") + row.letter : std::string("--") + row.name;
}

/// The table as getopt wants it: '+' stops at the first word that is no option, ':' tells a missing value from an
/// unknown option.
struct GetoptTables {
  std::string letters = "+:";
  std::vector<option> names;

  GetoptTables() {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
      const Row& row = kRows[i];
      if (row.letter != 0) letters += row.letter;
      if (row.letter != 0 && row.argument != nullptr) letters += ':';
      const int has_argument = row.argument != nullptr ? required_argument : no_argument;
      if (row.name != nullptr) names.push_back({row.name, has_argument, nullptr, kFirstName + static_cast<int>(i)});
    }
    names.push_back({});
  }

  static const Row* find(int code) {
    if (code >= kFirstName) return &kRows[static_cast<std::size_t>(code - kFirstName)];
    for (const Row& row : kRows) {
      if (row.letter != 0 && row.letter == code) return &row;
    }
    return nullptr;
  }

  static constexpr int kFirstName = 256;  // beyond every letter
};

bool asks_for_ab(int argc, char* const* argv) {
  const std::string_view program = argc > 0 ? argv[0] : "";
  if (program == "ab" || program.ends_with("/ab")) return true;
  for (int i = 1; i < argc; ++i) {
    if (argv[i] == std::string_view("--ab")) return true;
  }
  return false;
}

/// How the culprit was written, for a message.
std::string culprit(char* const* argv) {
  if (optopt > 0 && optopt < GetoptTables::kFirstName) return std::string("-") + static_cast<char>(optopt);
  return argv[optind - 1];
}

Problem read_rows(int argc, char* const* argv, Draft& draft) {
  const GetoptTables tables;
  optind = 0;  // glibc: start afresh
  opterr = 0;
  for (int code; (code = ::getopt_long(argc, argv, tables.letters.c_str(), tables.names.data(), nullptr)) != -1;) {
    if (code == ':') return "option " + culprit(argv) + " requires a value";
    const Row* row = code == '?' ? nullptr : GetoptTables::find(code);
    if (row == nullptr) return "unknown option " + culprit(argv);
    const std::string value = optarg != nullptr ? optarg : "";
    if (const Problem problem = row->set(draft, value); !problem.empty()) {
      return "option " + label(*row) + (row->argument != nullptr ? " '" + value + "': " : ": ") + problem;
    }
  }
  return {};
}

/// Settles what depends on several options, and the URL.
Problem complete(Draft& draft, int words, const char* word) {
  Options& options = draft.options;
  if (draft.has_head && (options.request.has_body || draft.has_method)) return "-i excludes -p, -u and -m";
  if (draft.has_head) options.request.method = "HEAD";
  if (options.time_limit > nanoseconds::zero() && !draft.has_requests) options.requests = 0;
  if (options.requests != 0 && options.concurrency > options.requests) {
    return "concurrency " + std::to_string(options.concurrency) + " is greater than the number of requests, " +
           std::to_string(options.requests);
  }
  if (words == 0) return "no URL";
  if (words > 1) return "one URL, after all options: unexpected '" + std::string(word) + "' and more";
  const auto url = parse_url(word);
  if (!url) return "invalid URL '" + std::string(word) + "': expected [http://]host[:port]/path";
  if (url->secure) return "URL '" + std::string(word) + "': https is not built yet";
  options.url = *url;
  return {};
}

}  // namespace

std::string usage_text() {
  std::string text = "Usage: fbench [options] [http://]host[:port]/path\n";
  for (const Row& row : kRows) {
    std::string left = row.letter != 0 ? std::string("  -") + row.letter : "    ";
    if (row.name != nullptr) left += std::string(row.letter != 0 ? ", --" : "  --") + row.name;
    if (row.argument != nullptr) left += std::string(" ") + row.argument;
    left.resize(std::max<std::size_t>(left.size() + 1, 26), ' ');
    text += left + row.help + '\n';
  }
  return text;
}

std::string ab_banner() {
  return "This is ApacheBench, Version 2.3 <$Revision$>\n"
         "Copyright 1996 Adam Twiss, Zeus Technology Ltd, http://www.zeustech.net/\n"
         "Licensed to The Apache Software Foundation, http://www.apache.org/\n\n";
}

std::variant<Options, Parting> parse_options(int argc, char* const* argv) {
  Draft draft;
  draft.options.like_ab = draft.options.request.keep_duplicates = asks_for_ab(argc, argv);
  const bool like_ab = draft.options.like_ab;
  Problem problem = read_rows(argc, argv, draft);
  if (problem.empty() && draft.asks_version) {
    return Parting{0, like_ab ? ab_banner() : "fbench " + std::string(version()) + '\n', ""};
  }
  if (problem.empty() && draft.asks_help) {
    return like_ab ? Parting{kExitUsageAb, "", usage_text()} : Parting{0, usage_text(), ""};
  }
  if (problem.empty()) problem = complete(draft, argc - optind, optind < argc ? argv[optind] : "");
  if (problem.empty()) return draft.options;
  const int code = like_ab ? kExitUsageAb : kExitUsage;
  return Parting{code, "", (like_ab ? "ab: " : "fbench: ") + problem + " (-h for help)\n"};
}

}  // namespace fwd::bench
