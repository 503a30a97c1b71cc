#include "watchdog/server/gate.hpp"

#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace fwd {
namespace {

TEST(gate, lets_in_up_to_its_limit_and_says_over_limit_beyond) {
  Gate gate(2);
  const auto first = gate.try_enter();
  EXPECT_TRUE(first);
  EXPECT_FALSE(gate.is_full());
  const auto second = gate.try_enter();
  EXPECT_TRUE(second);
  EXPECT_TRUE(gate.is_full());
  EXPECT_EQ(gate.try_enter().error(), Errc::over_limit);
  EXPECT_EQ(gate.inside(), 2U);
}

TEST(gate, a_permit_that_ends_makes_room) {
  Gate gate(1);
  {
    const auto permit = gate.try_enter();
    EXPECT_TRUE(gate.is_full());
  }
  EXPECT_FALSE(gate.is_full());
  EXPECT_EQ(gate.inside(), 0U);
  EXPECT_TRUE(gate.try_enter());
}

TEST(gate, a_permit_that_was_moved_counts_once) {
  Gate gate(1);
  {
    auto permit = gate.try_enter();
    ASSERT_TRUE(permit);
    const Gate::Permit kept = std::move(*permit);
    EXPECT_EQ(gate.inside(), 1U);
  }
  EXPECT_EQ(gate.inside(), 0U);
}

TEST(gate, without_a_limit_it_only_counts) {
  Gate gate(0);
  std::vector<Gate::Permit> permits;
  for (int i = 0; i < 1000; ++i) {
    auto permit = gate.try_enter();
    ASSERT_TRUE(permit);
    permits.push_back(std::move(*permit));
  }
  EXPECT_FALSE(gate.is_full());
  EXPECT_EQ(gate.inside(), 1000U);
}

}  // namespace
}  // namespace fwd
