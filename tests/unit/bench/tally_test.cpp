#include "bench/tally.hpp"

#include <gtest/gtest.h>
#include <set>

namespace fwd::bench {
namespace {

Sample answer(int status, std::uint64_t body_bytes) {
  Sample sample;
  sample.status = status;
  sample.body_bytes = body_bytes;
  sample.started = sample.connect_started = Clock::time_point(milliseconds(1000));
  sample.connected = sample.started + milliseconds(2);
  sample.sent = sample.started + milliseconds(3);
  sample.first_byte = sample.started + milliseconds(7);
  sample.done = sample.started + milliseconds(11);
  return sample;
}

std::uint64_t length_failures(const Tally& tally) {
  return tally.failures[static_cast<std::size_t>(Failure::length)];
}

TEST(Tally, records_the_phases_of_a_new_connection) {
  Tally tally;
  tally.answered(answer(200, 46), false);
  EXPECT_EQ(tally.connect.max(), 2'000'000u);
  EXPECT_EQ(tally.waiting.max(), 4'000'000u);
  EXPECT_EQ(tally.processing.max(), 9'000'000u);
  EXPECT_EQ(tally.total.max(), 11'000'000u);
  EXPECT_EQ(tally.ok, 1u);
  EXPECT_EQ(tally.statuses[200], 1u);
}

TEST(Tally, a_reused_connection_has_no_connect_time) {
  Tally tally;
  Sample sample = answer(200, 46);
  sample.reused = sample.kept = true;
  tally.answered(sample, false);
  EXPECT_EQ(tally.connect.count(), 0u);
  EXPECT_EQ(tally.processing.max(), 11'000'000u);
  EXPECT_EQ(tally.kept, 1u);
}

TEST(Tally, an_answer_before_the_request_was_sent_waited_for_nothing) {
  Tally tally;
  Sample sample = answer(413, 0);
  sample.first_byte = sample.connected;
  tally.answered(sample, false);
  EXPECT_EQ(tally.waiting.max(), 0u);
}

TEST(Tally, another_length_is_a_failure_once_unless_any_is_allowed) {
  Tally strict;
  Tally lax;
  for (const std::uint64_t bytes : {46, 46, 40, 46}) {
    strict.answered(answer(200, bytes), false);
    lax.answered(answer(200, bytes), true);
  }
  EXPECT_EQ(length_failures(strict), 1u);
  EXPECT_EQ(strict.ok, 3u);
  EXPECT_EQ(strict.completed, 4u);
  EXPECT_EQ(strict.total.count(), 4u);  // it was whole: its time counts
  EXPECT_EQ(length_failures(lax), 0u);
  EXPECT_EQ(lax.ok, 4u);
}

TEST(Tally, a_first_2xx_sets_the_length_anew_after_another_status) {
  Tally tally;
  tally.answered(answer(503, 9), false);
  tally.answered(answer(200, 46), false);
  tally.answered(answer(200, 46), false);
  tally.answered(answer(503, 9), false);
  EXPECT_EQ(*tally.document_length, 46u);
  EXPECT_EQ(tally.ok, 3u);
  EXPECT_EQ(length_failures(tally), 1u);
}

TEST(Tally, failures_have_an_age_but_no_time) {
  Tally tally;
  tally.failed(Failure::timeout, 5'000);
  tally.failed(Failure::reset, 6'000);
  EXPECT_EQ(tally.completed, 2u);
  EXPECT_EQ(tally.failed_requests(), 2u);
  EXPECT_EQ(tally.total.count(), 0u);
  EXPECT_EQ(tally.failed_age.max(), 6'000u);
  EXPECT_FALSE(tally.document_length);
}

TEST(Failure, every_kind_has_a_name_of_its_own) {
  std::set<std::string_view> names;
  for (std::size_t kind = 0; kind < kFailureKinds; ++kind) names.insert(failure_name(static_cast<Failure>(kind)));
  EXPECT_EQ(names.size(), kFailureKinds);
  EXPECT_FALSE(names.contains(""));
}

TEST(Failure, an_errno_of_connect_has_its_kind) {
  EXPECT_EQ(connect_failure(ECONNREFUSED), Failure::refused);
  EXPECT_EQ(connect_failure(EADDRNOTAVAIL), Failure::no_ports);
  EXPECT_EQ(connect_failure(EMFILE), Failure::no_descriptors);
  EXPECT_EQ(connect_failure(ENFILE), Failure::no_descriptors);
  EXPECT_EQ(connect_failure(EHOSTUNREACH), Failure::unreachable);
  EXPECT_EQ(connect_failure(ETIMEDOUT), Failure::connect_timeout);
  EXPECT_EQ(connect_failure(EACCES), Failure::connect_error);
  EXPECT_TRUE(is_local_limit(Failure::no_ports) && is_local_limit(Failure::no_descriptors));
  EXPECT_FALSE(is_local_limit(Failure::refused));
}

}  // namespace
}  // namespace fwd::bench
