#include "bench/tally.hpp"

#include <numeric>

namespace fwd::bench {

void Tally::answered(const Sample& sample, bool any_length) {
  const std::uint64_t total_ns = sample.total();
  const std::uint64_t connect_ns = std::min(sample.connect(), total_ns);
  if (!sample.reused) connect.record(connect_ns);
  processing.record(total_ns - connect_ns);
  waiting.record(sample.waiting());
  total.record(total_ns);
  ++completed;
  ++statuses[static_cast<std::size_t>(sample.status)];
  if (sample.kept) ++kept;

  const bool is_2xx = sample.status / 100 == 2;
  if (!document_length || (is_2xx && !document_is_2xx)) {
    document_length = sample.body_bytes;
    document_is_2xx = is_2xx;
  }
  if (any_length || sample.body_bytes == *document_length) {
    ++ok;
  } else {
    ++failures[static_cast<std::size_t>(Failure::length)];
  }
}

void Tally::failed(Failure kind, std::uint64_t age) {
  ++completed;
  ++failures[static_cast<std::size_t>(kind)];
  failed_age.record(age);
}

std::uint64_t Tally::failed_requests() const {
  return std::accumulate(failures.begin(), failures.end(), std::uint64_t{0});
}

}  // namespace fwd::bench
