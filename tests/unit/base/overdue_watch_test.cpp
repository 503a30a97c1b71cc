#include "watchdog/base/overdue_watch.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

namespace fwd {
namespace {

constexpr Deadline at(int second) { return Deadline{} + seconds(second); }

struct Item final : Overdue {
  Item(std::vector<int>& told, int name) : told_(told), name_(name) {}
  void overdue() override {
    told_.push_back(name_);
    if (then) then();
  }
  std::function<void()> then;
  std::vector<int>& told_;
  int name_;
};

TEST(DeadlineQueue, tells_what_is_due_in_order) {
  std::vector<int> told;
  DeadlineQueue queue;
  Item late(told, 3), early(told, 1), middle(told, 2);
  queue.watch(late, at(30));
  queue.watch(early, at(10));
  queue.watch(middle, at(20));
  EXPECT_EQ(queue.next(), at(10));
  queue.expire(at(20));
  EXPECT_EQ(told, (std::vector{1, 2}));
  EXPECT_EQ(queue.next(), at(30));
}

TEST(DeadlineQueue, watching_again_replaces_the_deadline) {
  std::vector<int> told;
  DeadlineQueue queue;
  Item item(told, 1);
  queue.watch(item, at(10));
  queue.watch(item, at(50));
  queue.expire(at(20));
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(queue.next(), at(50));
  queue.watch(item, at(30));
  queue.expire(at(30));
  EXPECT_EQ(told, (std::vector{1}));
  EXPECT_EQ(queue.next(), kNever);
}

TEST(DeadlineQueue, an_item_whose_deadline_is_lifted_is_not_told_until_it_has_one_again) {
  std::vector<int> told;
  DeadlineQueue queue;
  Item item(told, 1);
  queue.watch(item, at(10));
  queue.watch(item, kNever);
  queue.expire(at(20));
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(queue.next(), kNever);
  queue.watch(item, at(30));
  queue.forget(item);
  queue.watch(item, at(40));
  queue.expire(at(39));
  EXPECT_TRUE(told.empty());
  queue.expire(at(40));
  EXPECT_EQ(told, (std::vector{1}));
}

TEST(DeadlineQueue, a_destroyed_or_forgotten_item_is_not_told) {
  std::vector<int> told;
  DeadlineQueue queue;
  auto gone = std::make_unique<Item>(told, 1);
  Item forgotten(told, 2);
  queue.watch(*gone, at(1));
  queue.watch(forgotten, at(1));
  gone.reset();
  queue.forget(forgotten);
  queue.expire(at(2));
  EXPECT_TRUE(told.empty());
}

TEST(DeadlineQueue, an_item_may_watch_itself_and_destroy_others) {
  std::vector<int> told;
  DeadlineQueue queue;
  Item first(told, 1);
  auto second = std::make_unique<Item>(told, 2);
  first.then = [&] {
    second.reset();
    queue.watch(first, at(100));
  };
  queue.watch(first, at(1));
  queue.watch(*second, at(2));
  queue.expire(at(5));
  EXPECT_EQ(told, (std::vector{1}));
  EXPECT_EQ(queue.next(), at(100));
}

TEST(OverdueWatch, a_passed_deadline_is_told_by_the_event_loop) {
  asio::io_context context(1);
  OverdueWatch watch(context.get_executor());
  std::vector<int> told;
  Item later(told, 2), sooner(told, 1);
  watch.watch(later, Clock::now() + milliseconds(2));
  watch.watch(sooner, Clock::now() - seconds(1));
  context.run();
  EXPECT_EQ(told, (std::vector{1, 2}));
}

}  // namespace
}  // namespace fwd
