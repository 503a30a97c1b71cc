#include <fcntl.h>
#include <gtest/gtest.h>

#include "modes/classic.hpp"
#include "modes/serializing.hpp"
#include "modes/streaming.hpp"
#include "tests/support/fake_exchange.hpp"
#include "tests/support/run_task.hpp"

namespace fwd {
namespace {

using test::FakeExchange;

class OneShotTest : public testing::Test {
 protected:
  static OneShotOptions options(std::vector<std::string> argv) {
    OneShotOptions result;
    result.children.argv = std::move(argv);
    result.content_type = "a/b";
    result.duration_header = true;
    return result;
  }

  template <class ModeOfOneShot, class Options>
  Error serve(FakeExchange& exchange, Options mode_options) {
    ModeOfOneShot mode(watch_, reaper_, log_, FunctionLogOptions{}, std::move(mode_options));
    EXPECT_FALSE(mode.start());
    Error error;
    auto script = [&]() -> Task<void> {
      error = co_await mode.serve(exchange);
      co_await mode.stop(kNever);
      stats_ = mode.stats();
    };
    run_task(context_, script());
    return error;
  }

  asio::io_context context_{1};
  UniqueFd null_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  Log log_{null_.get(), null_.get()};
  OverdueWatch watch_{context_.get_executor()};
  Reaper reaper_{context_.get_executor()};
  FunctionStats stats_;
};

TEST_F(OneShotTest, each_mode_gives_the_body_to_the_process_and_its_output_to_the_client) {
  ClassicOptions classic;
  classic.one_shot = options({PROBE_BINARY, "cat"});
  for (int mode = 0; mode < 3; ++mode) {
    SCOPED_TRACE(mode);
    FakeExchange exchange("POST", "/", "", "the body");
    Error error;
    if (mode == 0) error = serve<Streaming>(exchange, options({PROBE_BINARY, "cat"}));
    if (mode == 1) error = serve<Serializing>(exchange, options({PROBE_BINARY, "cat"}));
    if (mode == 2) error = serve<Classic>(exchange, classic);
    EXPECT_FALSE(error) << error.message();
    EXPECT_TRUE(exchange.finished());
    EXPECT_EQ(exchange.status(), 200);
    EXPECT_EQ(exchange.text(), "the body");
    if (mode != 0) {
      EXPECT_EQ(exchange.announced(), 8U);  // streaming waits 2 ms for the end that tells the length
    }
    EXPECT_EQ(exchange.field("Content-Type"), "a/b");
    EXPECT_EQ(exchange.field("X-Duration-Seconds").empty(), mode == 0);
    const Timing& timing = exchange.timing();
    EXPECT_NE(timing.handed_over, Clock::time_point{});
    EXPECT_GE(timing.first_byte, timing.handed_over);
    EXPECT_EQ(stats_.started, 1U);
    EXPECT_EQ(stats_.busy, 0U);
  }
}

TEST_F(OneShotTest, a_process_that_fails_counts_as_died) {
  FakeExchange exchange("POST", "/", "", "x");
  EXPECT_FALSE(serve<Serializing>(exchange, options({PROBE_BINARY, "exit", "7"})));
  EXPECT_EQ(exchange.status(), 500);
  EXPECT_EQ(exchange.text(), "exit status 7");
  EXPECT_EQ(stats_.losses.died, 1U);
}

TEST_F(OneShotTest, a_client_that_leaves_counts_and_ends_the_process) {
  FakeExchange exchange("GET", "/");
  OverdueCall leave([&exchange] { exchange.leave(); });
  watch_.watch(leave, milliseconds(10));
  EXPECT_EQ(serve<Serializing>(exchange, options({PROBE_BINARY, "wait"})), Errc::client_gone);
  EXPECT_EQ(stats_.losses.client_gone, 1U);
  EXPECT_EQ(exchange.responses(), 0);
}

TEST_F(OneShotTest, exec_timeout_is_the_error_of_the_request) {
  OneShotOptions with = options({PROBE_BINARY, "wait"});
  with.children.exec_timeout = milliseconds(10);
  FakeExchange exchange("GET", "/");
  EXPECT_EQ(serve<Streaming>(exchange, with), Errc::exec_timeout);
  EXPECT_EQ(exchange.responses(), 0);
  EXPECT_EQ(stats_.losses.overdue, 1U);
}

TEST_F(OneShotTest, variables_are_left_out_where_they_are_not_wanted) {
  OneShotOptions with = options({PROBE_BINARY, "environment", "Http_Method"});
  FakeExchange wanted("GET", "/");
  EXPECT_FALSE(serve<Serializing>(wanted, with));
  EXPECT_EQ(wanted.text(), "GET");
  with.cgi_headers = false;
  FakeExchange unwanted("GET", "/");
  EXPECT_FALSE(serve<Serializing>(unwanted, with));
  EXPECT_EQ(unwanted.text(), "(unset)");
}

TEST_F(OneShotTest, a_missing_program_is_named_as_go_names_it) {
  Serializing mode(watch_, reaper_, log_, FunctionLogOptions{}, options({"no-such-program"}));
  EXPECT_EQ(mode.start(), system_error(ENOENT));
  EXPECT_EQ(mode.start_error(), "exec: \"no-such-program\": executable file not found in $PATH");
}

}  // namespace
}  // namespace fwd
