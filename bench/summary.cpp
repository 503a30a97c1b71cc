#include "bench/summary.hpp"

namespace fwd::bench {
namespace {

constexpr double kKibi = 1024;

double ratio(double of, double to) {
  return to > 0 ? of / to : 0;
}

TimesRow make_row(const Histogram& histogram) {
  return {.min = static_cast<double>(histogram.min()),
          .mean = histogram.mean(),
          .deviation = histogram.deviation(),
          .median = static_cast<double>(histogram.percentile(50)),
          .max = static_cast<double>(histogram.max())};
}

Quantiles make_quantiles(const Histogram& histogram) {
  Quantiles quantiles;
  quantiles.count = histogram.count();
  for (std::size_t i = 0; i < quantiles.values.size(); ++i) {
    quantiles.values[i] = histogram.percentile(Quantiles::kPercents[i]);
  }
  quantiles.max = histogram.max();
  return quantiles;
}

void count_requests(const Tally& tally, Summary& summary) {
  summary.started = tally.started;
  summary.completed = tally.completed;
  summary.ok = tally.ok;
  summary.failed = tally.failed_requests();
  summary.interrupted = tally.interrupted;
  summary.failed_by_kind = tally.failures;
  for (std::size_t kind = 1; kind < kFailureKinds; ++kind) {
    summary.failed_by_column[static_cast<std::size_t>(failure_column(static_cast<Failure>(kind)))] +=
        tally.failures[kind];
  }
  summary.keep_alive_requests = tally.kept;
  summary.keep_alive_races = tally.keep_alive_races;
  for (std::size_t status = 0; status < tally.statuses.size(); ++status) {
    if (tally.statuses[status] == 0) continue;
    summary.statuses.emplace_back(static_cast<int>(status), tally.statuses[status]);
    if (status / 100 != 2) summary.non_2xx += tally.statuses[status];
  }
}

void compute_rates(unsigned concurrency, Summary& summary) {
  const auto completed = static_cast<double>(summary.completed);
  summary.requests_per_second = ratio(completed, summary.seconds);
  summary.ok_per_second = ratio(static_cast<double>(summary.ok), summary.seconds);
  summary.ms_per_request_all = ratio(summary.seconds * 1000, completed);
  summary.ms_per_request = summary.ms_per_request_all * concurrency;
  summary.kib_received_per_second = ratio(static_cast<double>(summary.bytes_received) / kKibi, summary.seconds);
  summary.kib_sent_per_second = ratio(static_cast<double>(summary.bytes_sent) / kKibi, summary.seconds);
  summary.generator_cpu_share = ratio(summary.generator.seconds(), summary.seconds);
  summary.generator_us_per_request = ratio(summary.generator.seconds() * 1e6, completed);
}

void describe_times(const Tally& tally, Summary& summary) {
  Histogram connect_of_all = tally.connect;
  connect_of_all.record(0, tally.total.count() - tally.connect.count());  // reused connections
  summary.connect = make_row(connect_of_all);
  summary.processing = make_row(tally.processing);
  summary.waiting = make_row(tally.waiting);
  summary.total = make_row(tally.total);
  for (std::size_t i = 0; i < Summary::kAbPercents.size(); ++i) {
    summary.ab_percentiles[i] = tally.total.percentile(Summary::kAbPercents[i]);
  }
  summary.total_quantiles = make_quantiles(tally.total);
  summary.connect_quantiles = make_quantiles(tally.connect);
  summary.waiting_quantiles = make_quantiles(tally.waiting);
  summary.saturated = tally.total.saturated();
  Histogram everything = tally.total;
  everything.merge(tally.failed_age);
  summary.with_failures = make_quantiles(everything);
}

}  // namespace

Summary summarize(const Tally& tally, Ending ending, nanoseconds elapsed, unsigned concurrency,
                  const GeneratorUse& generator) {
  Summary summary;
  summary.ending = ending;
  summary.seconds = std::chrono::duration<double>(elapsed).count();
  summary.server = tally.server;
  summary.document_length = tally.document_length;
  summary.bytes_received = tally.bytes_received;
  summary.bytes_sent = tally.bytes_sent;
  summary.body_bytes = tally.body_bytes;
  summary.generator = generator;
  count_requests(tally, summary);
  compute_rates(concurrency, summary);
  describe_times(tally, summary);
  return summary;
}

}  // namespace fwd::bench
