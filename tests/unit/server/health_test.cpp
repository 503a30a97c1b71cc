#include "watchdog/server/health.hpp"

#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

/// A function that is up, or down since a moment.
class FakeMode final : public Mode {
 public:
  Error start() override { return {}; }
  Task<Error> serve(Exchange&) override { co_return Error{}; }
  Task<void> stop(Deadline) override { co_return; }
  void kill() override {}
  std::optional<Clock::time_point> down_since() const override { return down; }
  seconds retry_after() const override { return seconds(1); }
  FunctionStats stats() const override { return {}; }

  std::optional<Clock::time_point> down;
};

class HealthTest : public testing::Test {
 protected:
  UniqueFd null_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  Log log_{null_.get(), null_.get()};
  FakeMode mode_;
  LockFile lock_{lock_path(
      (std::filesystem::temp_directory_path() / ("fwatchdog-health-" + std::to_string(::getpid()))).string())};
  Health health_{mode_, lock_, log_};
  Clock::time_point now_{};
};

TEST_F(HealthTest, is_bad_before_the_listener_is_open_and_while_draining) {
  EXPECT_FALSE(health_.is_healthy(now_));
  EXPECT_FALSE(health_.is_ready());
  health_.open();
  EXPECT_TRUE(health_.is_healthy(now_));
  EXPECT_TRUE(health_.is_ready());
  health_.drain();
  EXPECT_FALSE(health_.is_healthy(now_));
  EXPECT_FALSE(health_.is_ready());
}

TEST_F(HealthTest, has_patience_with_a_function_that_is_down_and_readiness_has_none) {
  health_.open();
  health_.function_is_up();
  mode_.down = now_;
  EXPECT_FALSE(health_.is_ready());
  EXPECT_TRUE(health_.is_healthy(now_));
  EXPECT_TRUE(health_.is_healthy(now_ + Health::kPatience - nanoseconds(1)));
  EXPECT_FALSE(health_.is_healthy(now_ + Health::kPatience));
  mode_.down.reset();
  EXPECT_TRUE(health_.is_healthy(now_ + Health::kPatience));
  EXPECT_TRUE(health_.is_ready());
}

TEST_F(HealthTest, has_more_patience_with_a_function_that_starts) {
  health_.open();
  mode_.down = now_;
  EXPECT_FALSE(health_.is_ready());
  EXPECT_TRUE(health_.is_healthy(now_ + Health::kFirstPatience - nanoseconds(1)));
  EXPECT_FALSE(health_.is_healthy(now_ + Health::kFirstPatience));
}

TEST_F(HealthTest, looks_for_a_lock_only_if_there_was_one) {
  health_.open();
  EXPECT_TRUE(health_.is_ready()) << "suppress_lock is no illness";
  ASSERT_FALSE(lock_.create());
  EXPECT_TRUE(health_.is_ready());
  std::filesystem::remove_all(std::filesystem::path(lock_.path()).parent_path());
  EXPECT_FALSE(health_.is_ready());
  EXPECT_FALSE(health_.is_healthy(now_));
}

}  // namespace
}  // namespace fwd
