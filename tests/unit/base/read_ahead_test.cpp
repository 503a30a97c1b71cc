#include "watchdog/base/read_ahead.hpp"

#include <boost/asio/posix/basic_stream_descriptor.hpp>
#include <gtest/gtest.h>

#include "tests/support/run_task.hpp"
#include "watchdog/base/fd.hpp"

namespace fwd {
namespace {

using Stream = asio::posix::basic_stream_descriptor<Executor>;

struct Channel {
  asio::io_context context{1};
  Pipe pipe = *make_pipe();
  Stream stream{context.get_executor(), pipe.read_end.release()};
  void send(std::string_view bytes) {
    ASSERT_EQ(::write(pipe.write_end.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
};

TEST(ReadAhead, bytes_come_in_order_and_then_the_end) {
  Channel channel;
  ReadAhead<Stream> input(channel.stream, 4, 64);
  auto script = [&]() -> Task<void> {
    channel.send("hello");
    EXPECT_FALSE(co_await input.more());
    EXPECT_EQ(input.data(), "hell");
    input.consume(3);
    EXPECT_FALSE(co_await input.more());
    EXPECT_EQ(input.data(), "lo");
    input.consume(2);
    channel.pipe.write_end.reset();
    EXPECT_EQ(co_await input.more(), asio::error::eof);
    EXPECT_EQ(co_await input.more(), asio::error::eof);
  };
  run_task(channel.context, script());
}

TEST(ReadAhead, holds_no_more_than_its_limit) {
  Channel channel;
  ReadAhead<Stream> input(channel.stream, 4, 8);
  auto script = [&]() -> Task<void> {
    channel.send("0123456789");
    EXPECT_FALSE(co_await input.more());
    EXPECT_FALSE(co_await input.more());
    EXPECT_EQ(input.data(), "01234567");
    EXPECT_EQ(co_await input.more(), asio::error::no_buffer_space);
  };
  run_task(channel.context, script());
}

TEST(ReadAhead, an_interruption_loses_no_byte) {
  Channel channel;
  ReadAhead<Stream> input(channel.stream, 16, 16);
  auto script = [&]() -> Task<void> {
    asio::post(channel.context, [&] { input.interrupt(channel.context.get_executor()); });
    EXPECT_EQ(co_await input.more(), asio::error::operation_aborted);
    channel.send("late");
    EXPECT_FALSE(co_await input.more());
    EXPECT_EQ(input.data(), "late");
  };
  run_task(channel.context, script());
}

TEST(ReadAhead, unawaited_bytes_are_told) {
  Channel channel;
  ReadAhead<Stream> input(channel.stream, 16, 16);
  int told = 0;
  input.on_unawaited([&] { ++told; });
  input.start();
  channel.send("x");
  channel.context.run();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(input.data(), "x");
}

TEST(ReadAhead, what_is_consumed_while_a_read_is_pending_stays_consumed) {
  Channel channel;
  ReadAhead<Stream> input(channel.stream, 16, 16);
  auto script = [&]() -> Task<void> {
    channel.send("first");
    EXPECT_FALSE(co_await input.more());
    input.start();  // at the byte behind
    input.consume(5);
    channel.send("second");
    EXPECT_FALSE(co_await input.more());
    EXPECT_EQ(input.data(), "second");
  };
  run_task(channel.context, script());
}

TEST(ReadAhead, reads_that_fill_it_make_it_grow_up_to_its_limit) {
  Channel channel;
  ReadAhead<Stream> input(channel.stream, 4, 32);
  auto script = [&]() -> Task<void> {
    channel.send(std::string(100, 'x'));
    std::vector<std::size_t> sizes;
    for (std::size_t total = 0; total < 100; total += sizes.back()) {
      EXPECT_FALSE(co_await input.more());
      sizes.push_back(input.data().size());
      input.consume(sizes.back());
    }
    const std::vector<std::size_t> expected{4, 16, 32, 32, 16};
    EXPECT_EQ(sizes, expected);
  };
  run_task(channel.context, script());
}

}  // namespace
}  // namespace fwd
