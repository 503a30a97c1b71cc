#include "watchdog/base/log_queue.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "watchdog/base/fd.hpp"

namespace fwd {
namespace {

std::string read_to_end(int fd) {
  std::string all;
  char bytes[4096];
  for (ssize_t count; (count = ::read(fd, bytes, sizeof bytes)) > 0;) all.append(bytes, static_cast<std::size_t>(count));
  return all;
}

TEST(LogQueue, everything_is_written_in_order_before_it_ends) {
  auto pipe = *make_pipe();
  std::string expected;
  std::string got;
  std::thread reader([&] { got = read_to_end(pipe.read_end.get()); });
  {
    LogQueue queue(pipe.write_end.get(), 1024 * 1024);
    for (int i = 0; i < 2000; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      expected += line;
      queue.push(line);
    }
  }
  pipe.write_end.reset();
  reader.join();
  EXPECT_EQ(got, expected);
}

TEST(LogQueue, a_reader_that_is_stuck_costs_lines_and_not_time) {
  auto pipe = *make_pipe();
  LogQueue queue(pipe.write_end.get(), 8 * 1024);
  const std::string line(99, 'x');
  for (int i = 0; i < 5000; ++i) queue.push(line + "\n");
  EXPECT_GT(queue.dropped(), 0U);
}

TEST(LogQueue, a_reader_that_has_gone_is_no_error) {
  ::signal(SIGPIPE, SIG_IGN);
  auto pipe = *make_pipe();
  pipe.read_end.reset();
  LogQueue queue(pipe.write_end.get());
  queue.push("nobody reads this\n");
}

TEST(LogQueue, lines_from_several_threads_stay_whole) {
  auto pipe = *make_pipe();
  std::string got;
  std::thread reader([&] { got = read_to_end(pipe.read_end.get()); });
  {
    LogQueue queue(pipe.write_end.get(), 1024 * 1024);
    std::thread other([&] { for (int i = 0; i < 1000; ++i) queue.push("aaaa\n"); });
    for (int i = 0; i < 1000; ++i) queue.push("bbbb\n");
    other.join();
  }
  pipe.write_end.reset();
  reader.join();
  ASSERT_EQ(got.size(), 10'000U);
  for (std::size_t i = 0; i < got.size(); i += 5) {
    const std::string line = got.substr(i, 5);
    EXPECT_TRUE(line == "aaaa\n" || line == "bbbb\n") << line;
  }
}

}  // namespace
}  // namespace fwd
