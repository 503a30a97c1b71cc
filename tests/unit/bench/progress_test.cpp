#include "bench/progress.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace fwd::bench {
namespace {

/// What is printed when `count` of `requests` complete, one after the other.
std::string lines(std::uint64_t requests, std::uint64_t count, bool quiet = false) {
  char* bytes = nullptr;
  std::size_t size = 0;
  std::FILE* out = ::open_memstream(&bytes, &size);
  Progress progress(requests, quiet, out);
  for (std::uint64_t i = 1; i <= count; ++i) progress.completed(i);
  progress.finished(count);
  std::fclose(out);
  const std::string text(bytes, size);
  std::free(bytes);
  return text;
}

TEST(Progress, is_silent_up_to_150_requests_and_when_quiet) {
  EXPECT_EQ(lines(150, 150), "");
  EXPECT_EQ(lines(1000, 1000, true), "");
  EXPECT_EQ(lines(0, 5000, true), "");
}

TEST(Progress, steps_are_a_tenth_and_at_least_100) {
  EXPECT_EQ(lines(151, 151), "Completed 100 requests\nFinished 151 requests\n");
  EXPECT_EQ(lines(2000, 500), "Completed 200 requests\nCompleted 400 requests\nFinished 500 requests\n");
}

TEST(Progress, without_a_number_lines_get_rarer) {
  EXPECT_EQ(lines(0, 25'000),
            "Completed 1000 requests\nCompleted 2000 requests\nCompleted 5000 requests\nCompleted 10000 requests\n"
            "Completed 20000 requests\nFinished 25000 requests\n");
}

}  // namespace
}  // namespace fwd::bench
