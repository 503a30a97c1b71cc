#include <list>

#include "tests/unit/process/worker_pool_fixture.hpp"

namespace fwd {
namespace {

/// One worker that takes three requests ahead.
class WorkerPoolPipelineTest : public WorkerPoolTest {
 protected:
  void SetUp() override { pipeline_ = 3; }

  /// A request that has been written.
  struct Call {
    explicit Call(WorkerPool::Lease taken) : lease(std::move(taken)) {
      lease.enter(turn, 10);
      lease.written();
    }
    Turn turn;
    WorkerPool::Lease lease;
  };

  Task<Call*> call() {
    auto lease = co_await take(*pool_, kNever, Placement::behind_others);
    EXPECT_TRUE(lease) << lease.error().message();
    co_return &calls_.emplace_back(std::move(*lease));
  }

  /// Waits for a worker in a coroutine of its own; `got` counts up when it has one, and gives it back at once.
  void wait_for_place(Placement placement, std::string& order, char name) {
    auto visit = [](WorkerPoolPipelineTest& test, Placement wanted, std::string& into, char letter) -> Task<void> {
      auto lease = co_await take(*test.pool_, kNever, wanted);
      into += letter;
      Turn turn;
      lease->enter(turn, 10);
      lease->written();
      while (!lease->is_first()) co_await turn.changed.wait();
      lease->give_back();
    };
    start(context_.get_executor(), visit(*this, placement, order, name));
  }

  Task<void> turns(int count = 20) {
    for (int i = 0; i < count; ++i) co_await asio::post(context_, asio::use_awaitable_t<Executor>());
  }

  std::list<Call> calls_;
};

TEST_F(WorkerPoolPipelineTest, a_worker_has_as_many_places_as_the_option_says) {
  WorkerPool& pool = make(1, 0);
  auto script = [&]() -> Task<void> {
    Call* const first = co_await call();
    Call* const second = co_await call();
    Call* const third = co_await call();
    EXPECT_EQ(pool.busy(), 1U);
    EXPECT_EQ((co_await take(pool, kNever, Placement::behind_others)).error(), Errc::queue_full);
    EXPECT_TRUE(first->lease.is_first());
    EXPECT_FALSE(second->lease.is_first());
    EXPECT_EQ(first->lease.bytes_behind(), 20U);
    first->lease.give_back();
    EXPECT_TRUE(second->lease.is_first());
    second->lease.give_back();
    third->lease.give_back();
    EXPECT_EQ(pool.busy(), 0U);
    EXPECT_EQ(pool.counts().started, 1U);
    EXPECT_EQ(pool.counts().wait.count, 3U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolPipelineTest, nothing_is_written_before_the_one_before_is) {
  WorkerPool& pool = make(1, 0);
  auto script = [&]() -> Task<void> {
    auto first = co_await take(pool, kNever, Placement::behind_others);
    Turn turn;
    first->enter(turn, 10);
    EXPECT_EQ((co_await take(pool, kNever, Placement::behind_others)).error(), Errc::queue_full);
    first->written();
    Call* const second = co_await call();
    first->give_back();
    second->lease.give_back();
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolPipelineTest, the_worker_with_the_fewest_requests_is_next) {
  make(2, 0);
  auto script = [&]() -> Task<void> {
    Call* const a = co_await call();
    Call* const b = co_await call();
    EXPECT_NE(a->lease.process().pid(), b->lease.process().pid());
    Call* const c = co_await call();
    Call* const d = co_await call();
    EXPECT_NE(c->lease.process().pid(), d->lease.process().pid());
    for (Call& each : calls_) each.lease.give_back();
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolPipelineTest, who_wants_a_worker_alone_is_not_overtaken) {
  make(1);
  std::string order;
  auto script = [&]() -> Task<void> {
    Call* const first = co_await call();
    Call* const second = co_await call();
    wait_for_place(Placement::alone, order, 'a');
    wait_for_place(Placement::behind_others, order, 'b');
    co_await turns();
    first->lease.give_back();
    co_await turns();
    EXPECT_EQ(order, "");
    second->lease.give_back();
    co_await turns();
    EXPECT_EQ(order, "ab");
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolPipelineTest, a_place_that_gets_free_goes_to_who_waits) {
  make(1);
  std::string order;
  auto script = [&]() -> Task<void> {
    for (int i = 0; i < 3; ++i) (void)co_await call();
    for (const char name : {'a', 'b', 'c'}) wait_for_place(Placement::behind_others, order, name);
    co_await turns();
    EXPECT_EQ(order, "");
    calls_.front().lease.give_back();
    co_await turns();
    EXPECT_EQ(order, "a");
    for (Call& each : calls_) each.lease.give_back();
    co_await turns();
    EXPECT_EQ(order, "abc");
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolPipelineTest, the_first_has_the_timeout_and_the_others_are_lost) {
  WorkerPool& pool = make(1, 8, seconds(10), milliseconds(20));
  auto script = [&]() -> Task<void> {
    Call* const first = co_await call();
    Call* const second = co_await call();
    co_await second->turn.changed.wait();
    EXPECT_EQ(first->lease.failure(), Errc::exec_timeout);
    EXPECT_EQ(second->lease.failure(), Errc::worker_died);
    first->lease.discard(RetireCause::overdue);
    EXPECT_EQ(second->lease.failure(), Errc::worker_died) << "it is not the first by that";
    second->lease.discard(RetireCause::died);
    EXPECT_EQ(pool.counts().overdue, 1U);
    EXPECT_EQ(pool.counts().died, 0U);
    EXPECT_EQ(pool.busy(), 0U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolPipelineTest, after_a_timeout_its_place_takes_one_at_a_time) {
  WorkerPool& pool = make(1, 0, seconds(10), milliseconds(20));
  auto script = [&]() -> Task<void> {
    Call* const first = co_await call();
    while (pool.counts().overdue == 0) co_await turns(1);
    first->lease.discard(RetireCause::overdue);
    while (pool.counts().started < 2) co_await turns(1);
    Call* const next = co_await call();
    EXPECT_EQ((co_await take(pool, kNever, Placement::behind_others)).error(), Errc::queue_full);
    next->lease.give_back();
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolPipelineTest, who_is_behind_a_broken_answer_is_told_at_once) {
  WorkerPool& pool = make(1);
  auto script = [&]() -> Task<void> {
    Call* const first = co_await call();
    Call* const second = co_await call();
    Call* const third = co_await call();
    int told = 0;
    auto wait = [](Call& waiting, int& count) -> Task<void> {
      co_await waiting.turn.changed.wait();
      ++count;
    };
    for (Call* const each : {second, third}) start(context_.get_executor(), wait(*each, told));
    co_await turns();
    first->lease.discard(RetireCause::broke_protocol);
    co_await turns();
    EXPECT_EQ(told, 2);
    EXPECT_TRUE(second->lease.lost());
    EXPECT_EQ(third->lease.failure(), Errc::worker_died);
    calls_.clear();
    EXPECT_EQ(pool.counts().broke_protocol, 1U);
    EXPECT_EQ(pool.busy(), 0U);
    co_await end();
  };
  run_task(context_, script());
}

TEST_F(WorkerPoolPipelineTest, a_place_given_up_unused_leaves_the_worker_to_the_others) {
  WorkerPool& pool = make(1);
  auto script = [&]() -> Task<void> {
    Call* const first = co_await call();
    Call* const second = co_await call();
    second->lease.leave();
    EXPECT_FALSE(first->lease.failure());
    first->lease.give_back();
    EXPECT_EQ(pool.up(), 1U);
    EXPECT_EQ(pool.busy(), 0U);
    co_await end();
  };
  run_task(context_, script());
}

}  // namespace
}  // namespace fwd
