#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/generator.hpp"
#include "bench/load.hpp"
#include "bench/tally.hpp"
#include "watchdog/base/time.hpp"

namespace fwd::bench {

/// A row of ab's Connection Times, in nanoseconds.
struct TimesRow {
  double min = 0;
  double mean = 0;
  double deviation = 0;  // of the sample: n - 1
  double median = 0;     // nearest rank
  double max = 0;
};

/// A line of the Extended block, in nanoseconds.
struct Quantiles {
  static constexpr std::array<double, 5> kPercents = {50, 90, 95, 99, 99.9};
  std::uint64_t count = 0;
  std::array<std::uint64_t, kPercents.size()> values{};
  std::uint64_t max = 0;
};

/// A finished run, ready to be printed: every figure that a report shows. Formulas: bench/README.md.
struct Summary {
  Ending ending = Ending::all_done;
  double seconds = 0;  // from the start to the end of the last request, or to what ended the run early
  std::string server;
  std::optional<std::uint64_t> document_length;

  std::uint64_t started = 0;
  std::uint64_t completed = 0;
  std::uint64_t ok = 0;
  std::uint64_t failed = 0;
  std::uint64_t interrupted = 0;
  std::array<std::uint64_t, 4> failed_by_column{};  // FailureColumn
  std::array<std::uint64_t, kFailureKinds> failed_by_kind{};
  std::uint64_t non_2xx = 0;
  std::uint64_t keep_alive_requests = 0;
  std::uint64_t keep_alive_races = 0;
  std::vector<std::pair<int, std::uint64_t>> statuses;  // those seen, ascending

  std::uint64_t bytes_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t body_bytes = 0;

  double requests_per_second = 0;  // completed / seconds
  double ok_per_second = 0;
  double ms_per_request = 0;      // concurrency * seconds / completed
  double ms_per_request_all = 0;  // seconds / completed
  double kib_received_per_second = 0;
  double kib_sent_per_second = 0;

  TimesRow connect, processing, waiting, total;  // whole answers; connect is 0 on a reused connection
  static constexpr std::array<int, 8> kAbPercents = {50, 66, 75, 80, 90, 95, 98, 99};
  std::array<std::uint64_t, kAbPercents.size()> ab_percentiles{};  // of the total, nearest rank

  Quantiles total_quantiles, connect_quantiles, waiting_quantiles;  // connect: new connections only
  Quantiles with_failures;      // total, with each failed request as having taken at least as long as it did
  std::uint64_t saturated = 0;  // answers that took more than an hour: their percentiles read 1 h

  GeneratorUse generator;
  double generator_cpu_share = 0;  // of one core
  double generator_us_per_request = 0;

  std::uint64_t answers() const { return total_quantiles.count; }
  /// started = completed + interrupted and completed = ok + failed, counted at four different places.
  bool accounting_holds() const { return started == completed + interrupted && completed == ok + failed; }
};

/// Pure.
Summary summarize(const Tally& tally, Ending ending, nanoseconds elapsed, unsigned concurrency,
                  const GeneratorUse& generator);

}  // namespace fwd::bench
