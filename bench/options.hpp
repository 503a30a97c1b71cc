#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "bench/request.hpp"
#include "bench/url.hpp"
#include "watchdog/base/time.hpp"

namespace fwd::bench {

/// Of the two tables of ab's report; the values behind them are nanoseconds.
enum class Precision { milliseconds, microseconds };

/// Everything that the command line says; the defaults are ab's.
struct Options {
  std::uint64_t requests = 1;         // -n; 0 = as many as the time limit allows
  unsigned concurrency = 1;           // -c
  nanoseconds time_limit{0};          // -t; 0 = none
  nanoseconds timeout = seconds(30);  // -s, --timeout: of one request, its connection included
  RequestParts request;
  std::string body_path;  // -p, -u; main reads the file into request.body
  Url url;
  Precision precision = Precision::milliseconds;
  bool quiet = false;                // -q
  bool any_length = false;           // -l
  bool without_percentiles = false;  // -d
  bool without_deviation = false;    // -S
  bool like_ab = false;  // --ab, or called `ab`: Apache's banner, ab's layout and exit codes, nothing of ours
};

/// The command line asked for something else than a run, or was wrong.
struct Parting {
  int exit_code = 0;
  std::string out;  // for stdout
  std::string err;  // for stderr
};

inline constexpr int kExitUsage = 2;     // bench-features 5.2
inline constexpr int kExitUsageAb = 22;  // EINVAL, as ab

/// Reads the command line in ab's order: options, then one URL. Short options may be bundled; long options are ours.
/// Uses getopt's global state: not for two threads at once.
std::variant<Options, Parting> parse_options(int argc, char* const* argv);

/// What --help prints.
std::string usage_text();

/// What ab prints first; what -V prints.
std::string ab_banner();

}  // namespace fwd::bench
