#include "watchdog/server/error_answer.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace fwd {
namespace {

struct Row {
  Errc code;
  int status;
  bool limiter;  // faas-middleware says it, not of-watchdog
  bool retry;
};

/// DESIGN's table of errors, every one of them.
constexpr Row kRows[] = {
    {Errc::malformed_request, 400, false, false},
    {Errc::unsupported_coding, 501, false, false},
    {Errc::unsupported_version, 505, false, false},
    {Errc::unsupported_method, 405, false, false},
    {Errc::expectation_failed, 417, false, false},
    {Errc::head_too_large, 431, false, false},
    {Errc::target_too_long, 414, false, false},
    {Errc::body_too_large, 413, false, false},
    {Errc::body_unreadable, 415, false, false},
    {Errc::request_timeout, 408, false, false},
    {Errc::client_gone, 400, false, false},
    {Errc::over_limit, 429, true, true},
    {Errc::queue_full, 429, true, true},
    {Errc::queue_timeout, 429, true, true},
    {Errc::draining, 503, false, true},
    {Errc::no_worker, 503, false, true},
    {Errc::spawn_lacks_resources, 503, false, true},
    {Errc::spawn_failed, 500, false, false},
    {Errc::environment_too_large, 431, false, false},
    {Errc::worker_died, 502, false, false},
    {Errc::worker_protocol, 502, false, false},
    {Errc::exec_timeout, 504, false, false},
    {Errc::deadline_passed, 504, false, false},
    {Errc::write_timeout, 500, false, false},  // of an answer that has begun: nobody reads this one
    {Errc::internal_error, 500, false, false},
    {Errc::invalid_value, 500, false, false},
};

TEST(error_answer, every_error_has_its_status_its_origin_and_its_retry) {
  for (const Row& row : kRows) {
    const Error error = row.code;
    SCOPED_TRACE(error.message());
    const ErrorAnswer answer = answer_for(error);
    EXPECT_EQ(answer.status, row.status);
    EXPECT_EQ(answer.origin, row.limiter ? "faas-middleware" : "of-watchdog");
    EXPECT_EQ(answer.retry, row.retry);
  }
}

TEST(error_answer, the_table_knows_every_error_that_there_is) {
  std::set<int> known;
  for (const Row& row : kRows) known.insert(static_cast<int>(row.code));
  for (int value = 1; fwd_category().message(value) != "unknown error"; ++value)
    EXPECT_TRUE(known.contains(value)) << value;
  EXPECT_EQ(known.size(), std::size(kRows));
}

TEST(error_answer, errors_of_others_are_500) {
  for (const Error& error : {system_error(ENOSPC), system_error(EMFILE), system_error(1)}) {
    EXPECT_EQ(answer_for(error).status, 500);
    EXPECT_EQ(answer_for(error).origin, "of-watchdog");
    EXPECT_FALSE(answer_for(error).retry);
  }
}

}  // namespace
}  // namespace fwd
