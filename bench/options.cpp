#include "bench/options.hpp"

#include <algorithm>
#include <getopt.h>
#include <string_view>
#include <vector>

#include "bench/option_table.hpp"
#include "bench/version.hpp"

namespace fwd::bench {
namespace {

using Problem = std::string;  // empty = none

std::string label(const OptionRow& row) {
  return row.letter != 0 ? std::string("-") + row.letter : std::string("--") + row.name;
}

/// The table as getopt wants it: '+' stops at the first word that is no option, ':' tells a missing value from an
/// unknown option.
struct GetoptTables {
  std::string letters = "+:";
  std::vector<option> names;

  GetoptTables() {
    const auto rows = option_table();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const OptionRow& row = rows[i];
      if (row.letter != 0) letters += row.letter;
      if (row.letter != 0 && row.argument != nullptr) letters += ':';
      const int has_argument = row.argument != nullptr ? required_argument : no_argument;
      if (row.name != nullptr) names.push_back({row.name, has_argument, nullptr, kFirstName + static_cast<int>(i)});
    }
    names.push_back({});
  }

  static const OptionRow* find(int code) {
    if (code >= kFirstName) return &option_table()[static_cast<std::size_t>(code - kFirstName)];
    for (const OptionRow& row : option_table()) {
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
    const OptionRow* row = code == '?' ? nullptr : GetoptTables::find(code);
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
  for (const OptionRow& row : option_table()) {
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
