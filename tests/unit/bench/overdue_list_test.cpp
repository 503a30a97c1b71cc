#include "bench/overdue_list.hpp"

#include <gtest/gtest.h>
#include <optional>

namespace fwd::bench {
namespace {

const Clock::time_point kStart{seconds(100)};

TEST(OverdueList, an_empty_one_never_expires) {
  OverdueList list(seconds(1));
  EXPECT_EQ(list.next_deadline(), kNever);
  EXPECT_EQ(list.take_expired(kNever), nullptr);
}

TEST(OverdueList, nodes_expire_in_the_order_of_arrival_and_not_before_their_time) {
  OverdueList list(seconds(1));
  OverdueList::Node first;
  OverdueList::Node second;
  list.add(first, kStart);
  list.add(second, kStart + milliseconds(10));
  EXPECT_EQ(list.next_deadline(), kStart + seconds(1));
  EXPECT_EQ(list.take_expired(kStart + milliseconds(999)), nullptr);
  EXPECT_EQ(list.take_expired(kStart + seconds(1)), &first);
  EXPECT_EQ(list.take_expired(kStart + seconds(1)), nullptr);
  EXPECT_EQ(list.take_expired(kStart + seconds(2)), &second);
  EXPECT_EQ(list.next_deadline(), kNever);
}

TEST(OverdueList, adding_again_moves_a_node_to_the_end_and_out_of_another_list) {
  OverdueList list(seconds(1));
  OverdueList other(seconds(5));
  OverdueList::Node first;
  OverdueList::Node second;
  list.add(first, kStart);
  list.add(second, kStart);
  list.add(first, kStart + seconds(1));
  EXPECT_EQ(list.take_expired(kStart + seconds(9)), &second);
  other.add(first, kStart);
  EXPECT_EQ(list.next_deadline(), kNever);
  EXPECT_EQ(other.next_deadline(), kStart + seconds(5));
}

TEST(OverdueList, a_node_that_dies_leaves) {
  OverdueList list(seconds(1));
  std::optional<OverdueList::Node> node(std::in_place);
  list.add(*node, kStart);
  node.reset();
  EXPECT_EQ(list.next_deadline(), kNever);
}

TEST(OverdueList, a_length_of_zero_is_no_limit) {
  OverdueList list(nanoseconds::zero());
  OverdueList::Node node;
  list.add(node, kStart);
  EXPECT_EQ(list.next_deadline(), kNever);
  EXPECT_EQ(list.take_expired(kStart + seconds(1000)), nullptr);
}

}  // namespace
}  // namespace fwd::bench
