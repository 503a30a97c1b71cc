#include "modes/child_environment.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

using Entries = std::vector<std::string>;

TEST(ChildEnvironment, our_own_has_each_name_once_and_the_last_one_counts) {
  Entries entries{"A=1", "B=2", "nonsense", "A=3", "=odd", "C="};
  const ChildEnvironment environment(entries);
  EXPECT_EQ(entries, (Entries{"B=2", "A=3", "=odd", "C="}));
}

TEST(ChildEnvironment, a_request_adds_and_overrides) {
  Entries entries{"A=1", "B=2"};
  ChildEnvironment environment(entries);
  environment.add({"X=9", "B=other", "Bx=3"});
  EXPECT_EQ(entries, (Entries{"A=1", "B=other", "X=9", "Bx=3"}));
}

TEST(ChildEnvironment, the_next_request_finds_nothing_of_the_one_before) {
  Entries entries{"A=1", "B=2"};
  ChildEnvironment environment(entries);
  environment.add({"X=9", "B=other"});
  environment.add({"A=again"});
  EXPECT_EQ(entries, (Entries{"A=again", "B=2"}));
  environment.add({});
  EXPECT_EQ(entries, (Entries{"A=1", "B=2"}));
}

}  // namespace
}  // namespace fwd
