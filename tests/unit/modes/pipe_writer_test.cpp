#include "modes/pipe_writer.hpp"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/ioctl.h>

#include "tests/support/run_task.hpp"
#include "watchdog/process/function_process.hpp"

namespace fwd {
namespace {

constexpr std::size_t kOneWrite = 64 * 1024;
constexpr std::size_t kLastPiece = 32 * 1024;

/// A writer over a real pipe, whose other end the test reads.
class PipeWriterTest : public testing::Test {
 protected:
  void SetUp() override {
    (void)std::signal(SIGPIPE, SIG_IGN);
    auto pipe = make_pipe();
    ASSERT_TRUE(pipe);
    reader_ = std::move(pipe->read_end);
    ASSERT_EQ(::fcntl(reader_.get(), F_SETFL, O_NONBLOCK), 0);
    pipe_.emplace(context_.get_executor(), pipe->write_end.release());
    pipe_->non_blocking(true);
  }

  PipeWriter& make(std::size_t head_bytes, std::size_t body_bytes, std::size_t memory_bytes = 64 * 1024 * 1024) {
    head_.assign(head_bytes, 'h');
    for (std::size_t i = 0; i < body_bytes; ++i) sent_ += static_cast<char>(i * 7 + i / 251);
    options_.memory_bytes = memory_bytes;
    body_.emplace(options_);
    EXPECT_FALSE(body_->append(sent_));
    sent_.insert(0, head_);
    return writer_.emplace(*pipe_, watch_, head_, *body_, scratch_);
  }

  std::size_t in_pipe() const {
    int count = 0;
    EXPECT_EQ(::ioctl(reader_.get(), FIONREAD, &count), 0);
    return static_cast<std::size_t>(count);
  }

  /// What one read(2) of up to `most` bytes gives.
  std::string read(std::size_t most) {
    std::string bytes(most, '\0');
    const ssize_t count = ::read(reader_.get(), bytes.data(), bytes.size());
    bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    received_ += bytes;
    return bytes;
  }

  /// Lets everything else run once.
  Task<void> turn() { co_await asio::post(context_, asio::use_awaitable_t<Executor>()); }
  Task<void> until_in_pipe(std::size_t count) {
    while (in_pipe() < count) co_await turn();
  }
  /// Lets the writer look at the pipe a good few times.
  Task<void> some_polls() {
    const auto end = Clock::now() + milliseconds(10);
    while (Clock::now() < end) co_await turn();
  }

  asio::io_context context_{1};
  OverdueWatch watch_{context_.get_executor()};
  SpoolOptions options_;
  UniqueFd reader_;
  std::optional<Descriptor> pipe_;
  std::string head_;
  std::optional<Spool> body_;
  std::string scratch_;
  std::optional<PipeWriter> writer_;
  std::string sent_;
  std::string received_;
};

TEST_F(PipeWriterTest, a_small_request_is_one_write) {
  // A pipe in packet mode hands out what was written together, and no more: pipe(2), O_DIRECT.
  ASSERT_EQ(::fcntl(pipe_->native_handle(), F_SETFL, O_NONBLOCK | O_DIRECT), 0);
  PipeWriter& writer = make(100, 50);
  EXPECT_FALSE(writer.begin());
  EXPECT_TRUE(writer.complete());
  EXPECT_FALSE(writer.running());
  EXPECT_EQ(read(4096), sent_);
}

TEST_F(PipeWriterTest, up_to_64_kib_all_of_it_is_there_before_anybody_waits) {
  for (const std::size_t body : {std::size_t{0}, std::size_t{1}, kOneWrite - 300}) {
    sent_.clear();
    PipeWriter& writer = make(300, body);
    EXPECT_FALSE(writer.begin());
    EXPECT_TRUE(writer.complete());
    EXPECT_EQ(read(kOneWrite), sent_) << body;
    EXPECT_EQ(in_pipe(), 0U);
  }
}

TEST_F(PipeWriterTest, the_last_piece_comes_whole_and_only_once_all_before_was_read) {
  for (const std::size_t body : {kOneWrite - 99, kOneWrite + 1, 2 * kOneWrite, std::size_t{300'000}}) {
    SCOPED_TRACE(body);
    sent_.clear();
    received_.clear();
    PipeWriter& writer = make(100, body);
    auto script = [&]() -> Task<void> {
      EXPECT_FALSE(writer.begin());
      const std::size_t first = sent_.size() - kLastPiece;
      co_await until_in_pipe(first);
      co_await some_polls();
      EXPECT_EQ(in_pipe(), first) << "the last piece came too early";
      EXPECT_EQ(writer.unread(), first);
      EXPECT_EQ(read(first - 1).size(), first - 1);
      co_await some_polls();
      EXPECT_EQ(in_pipe(), 1U) << "one byte was not read yet";
      EXPECT_EQ(read(10).size(), 1U);
      co_await until_in_pipe(1);
      EXPECT_EQ(read(kOneWrite).size(), kLastPiece) << "a short last piece ends the body for an old function";
      co_await writer.joined();
      EXPECT_TRUE(writer.complete());
      EXPECT_EQ(in_pipe(), 0U);
      EXPECT_TRUE(received_ == sent_);
    };
    run_task(context_, script());
  }
}

/// A reader as Node's is: 64 KiB at a time, done after the first read that is not full.
TEST_F(PipeWriterTest, a_reader_that_stops_at_a_short_read_gets_every_body) {
  PipeWriter& writer = make(200, 5'000'000);
  auto script = [&]() -> Task<void> {
    EXPECT_FALSE(writer.begin());
    while (received_.size() < sent_.size()) {
      if (read(kOneWrite).empty()) co_await turn();
    }
    co_await writer.joined();
    EXPECT_TRUE(writer.complete());
    EXPECT_TRUE(received_ == sent_);
  };
  run_task(context_, script());
}

TEST_F(PipeWriterTest, an_answer_that_begins_ends_the_wait) {
  PipeWriter& writer = make(100, 200'000);
  auto script = [&]() -> Task<void> {
    EXPECT_FALSE(writer.begin());
    co_await until_in_pipe(sent_.size() - kLastPiece);
    writer.answer_begun();
    co_await until_in_pipe(sent_.size());
    co_await writer.joined();
    EXPECT_TRUE(writer.complete());
    EXPECT_EQ(read(2 * sent_.size()), sent_);
  };
  run_task(context_, script());
}

TEST_F(PipeWriterTest, a_body_in_a_file_arrives_the_same) {
  for (const std::size_t body : {std::size_t{10}, kLastPiece, kLastPiece + 1, std::size_t{1'000'000}}) {
    SCOPED_TRACE(body);
    sent_.clear();
    received_.clear();
    PipeWriter& writer = make(100, body, 5);
    ASSERT_FALSE(body_->in_memory());
    auto script = [&]() -> Task<void> {
      EXPECT_FALSE(writer.begin());
      while (received_.size() < sent_.size()) {
        if (read(kOneWrite).empty()) co_await turn();
      }
      co_await writer.joined();
      EXPECT_TRUE(writer.complete());
      EXPECT_TRUE(received_ == sent_);
    };
    run_task(context_, script());
  }
}

/// The input of a function that does not read is full some day: nobody else may wait for it.
TEST_F(PipeWriterTest, a_request_that_meets_a_full_pipe_waits_on_its_own) {
  const UniqueFd null(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  Log log(null.get(), null.get());
  FunctionLog function_log(log, {});
  Reaper reaper(context_.get_executor());
  SpawnRequest request;
  request.argv = {PROBE_BINARY, "wait"};
  const auto process = FunctionProcess::start(context_.get_executor(), reaper, function_log, request);
  ASSERT_TRUE(process);
  Descriptor& input = (*process)->input();
  const std::string filling(kOneWrite, 'f');
  while (::write(input.native_handle(), filling.data(), filling.size()) > 0) continue;
  head_ = "head";
  body_.emplace(options_);
  PipeWriter& writer = writer_.emplace(input, watch_, head_, *body_, scratch_);
  auto script = [&]() -> Task<void> {
    EXPECT_FALSE(writer.begin());
    EXPECT_TRUE(writer.running());
    co_await writer.stopped();
    EXPECT_FALSE(writer.complete());
  };
  run_task(context_, script());
}

TEST_F(PipeWriterTest, a_reader_that_has_gone_is_told_at_once_for_a_small_request) {
  PipeWriter& writer = make(100, 100);
  reader_.reset();
  EXPECT_EQ(writer.begin(), Errc::worker_died);
  EXPECT_FALSE(writer.running());
  EXPECT_FALSE(writer.complete());
}

TEST_F(PipeWriterTest, a_reader_that_goes_midway_ends_the_writing) {
  PipeWriter& writer = make(100, 5'000'000);
  auto script = [&]() -> Task<void> {
    EXPECT_FALSE(writer.begin());
    co_await until_in_pipe(kOneWrite);
    reader_.reset();
    co_await writer.joined();
    EXPECT_FALSE(writer.complete());
  };
  run_task(context_, script());
}

TEST_F(PipeWriterTest, it_can_be_stopped_whatever_it_waits_for) {
  for (const std::size_t body : {std::size_t{200'000}, std::size_t{5'000'000}}) {  // for the reader, for room
    SetUp();
    sent_.clear();
    PipeWriter& writer = make(100, body);
    auto script = [&]() -> Task<void> {
      EXPECT_FALSE(writer.begin());
      co_await until_in_pipe(std::min(body - kLastPiece, kOneWrite));
      co_await writer.stopped();
      EXPECT_FALSE(writer.running());
    };
    run_task(context_, script());
  }
}

}  // namespace
}  // namespace fwd
