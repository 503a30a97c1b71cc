#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/failure.hpp"
#include "bench/histogram.hpp"
#include "bench/sample.hpp"

namespace fwd::bench {

/// Everything that is counted while a load runs, in constant memory. Each started request ends in exactly one of
/// answered(), failed() and `interrupted`.
struct Tally {
  static constexpr std::size_t kStatuses = 600;  // AnswerReader lets 100 to 599 pass

  Histogram connect;     // new connections only
  Histogram processing;  // total less connect
  Histogram waiting;
  Histogram total;       // whole answers
  Histogram failed_age;  // how long the failed requests had taken when they failed: "at least" values

  std::uint64_t started = 0;
  std::uint64_t completed = 0;  // ended by themselves, well or not: what ab calls complete
  std::uint64_t ok = 0;
  std::uint64_t interrupted = 0;
  std::uint64_t kept = 0;              // answers that left the connection open: ab's "Keep-Alive requests"
  std::uint64_t keep_alive_races = 0;  // reused connections found closed; their requests were sent once more
  std::array<std::uint64_t, kFailureKinds> failures{};
  std::array<std::uint64_t, kStatuses> statuses{};

  std::uint64_t bytes_received = 0;  // heads, bodies and framing, of failed answers too
  std::uint64_t body_bytes = 0;
  std::uint64_t bytes_sent = 0;

  std::string server;  // the first Server field
  std::optional<std::uint64_t>
      document_length;  // the body of the first whole answer; a first 2xx replaces another status
  bool document_is_2xx = false;

  /// A whole answer has arrived. It is ok unless its length differs and `any_length` is not set.
  void answered(const Sample& sample, bool any_length);
  /// A request ended without a whole answer, `age` nanoseconds after it started.
  void failed(Failure kind, std::uint64_t age);

  /// The sum over all kinds.
  std::uint64_t failed_requests() const;
};

}  // namespace fwd::bench
