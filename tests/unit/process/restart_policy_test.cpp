#include "watchdog/process/restart_policy.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

TEST(RestartPolicy, deaths_before_the_first_answer_back_off_up_to_ten_seconds) {
  RestartPolicy policy;
  for (const int delay : {100, 200, 400, 800, 1600, 3200, 6400, 10000, 10000})
    EXPECT_EQ(policy.delay_after_death(false), milliseconds(delay));
}

TEST(RestartPolicy, a_worker_that_had_answered_is_replaced_at_once_and_clears_the_back_off) {
  RestartPolicy policy;
  policy.delay_after_death(false);
  policy.delay_after_death(false);
  EXPECT_EQ(policy.delay_after_death(true), nanoseconds::zero());
  EXPECT_EQ(policy.delay_after_death(false), milliseconds(100));
}

}  // namespace
}  // namespace fwd
