#include "modes/pipe_writer.hpp"

#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>

namespace fwd {
namespace {

constexpr std::size_t kOneWriteBytes = 64 * 1024;   // what one read of an old function takes, and a pipe holds
constexpr std::size_t kLastPieceBytes = 32 * 1024;
constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr int kWidePipeBytes = 1024 * 1024;         // /proc/sys/fs/pipe-max-size; refused beyond a user's share
constexpr nanoseconds kDrainPoll = milliseconds(1);

}  // namespace

Error PipeWriter::begin() {
  if (body_.in_memory() && head_.size() + body_.size() <= kOneWriteBytes) {
    small_.reserve(head_.size() + body_.memory().size());
    small_.append(head_).append(body_.memory());
    Error error;
    written_ = pipe_.write_some(asio::buffer(small_), error);
    if (error && error != asio::error::would_block) return Errc::worker_died;
    complete_ = written_ == small_.size();
    if (complete_) return {};
  } else {
    (void)::fcntl(pipe_.native_handle(), F_SETPIPE_SZ, kWidePipeBytes);  // slower without, but right
  }
  running_ = true;
  start(watch_.executor(), run());
  return {};
}

Task<void> PipeWriter::run() {
  const std::string_view rest = std::string_view(small_).substr(written_);
  const Error error = small_.empty() ? co_await write_long() : co_await write_all(rest);
  complete_ = !error;
  running_ = false;
  ended_.wake(watch_.executor());
}

Task<Error> PipeWriter::write_all(std::string_view bytes) {
  auto [error, count] = co_await asio::async_write(pipe_, asio::buffer(bytes), no_throw);
  co_return error;
}

Task<Error> PipeWriter::write_long() {
  const std::uint64_t last_piece = body_.size() - std::min<std::uint64_t>(body_.size(), kLastPieceBytes);
  if (const Error error = co_await write_all(head_)) co_return error;
  for (std::uint64_t offset = 0; offset < body_.size();) {
    if (offset == last_piece) co_await drained();
    const std::uint64_t end = offset < last_piece ? last_piece : body_.size();
    const auto piece = body_.read(offset, static_cast<std::size_t>(std::min<std::uint64_t>(end - offset, kPieceBytes)));
    if (!piece) co_return piece.error();
    if (const Error error = co_await write_all(*piece)) co_return error;
    offset += piece->size();
  }
  co_return Error{};
}

Task<void> PipeWriter::drained() {
  OverdueCall poll([this] { drained_.wake(watch_.executor()); });
  while (!answer_begun_ && pipe_.is_open() && unread() > 0) {
    watch_.watch(poll, kDrainPoll);
    co_await drained_.wait();
  }
}

void PipeWriter::answer_begun() {
  answer_begun_ = true;
  drained_.wake(watch_.executor());
}

Task<void> PipeWriter::joined() {
  while (running_) co_await ended_.wait();
}

Task<void> PipeWriter::stopped() {
  Error ignored;  // nothing can be done about a failed close
  pipe_.close(ignored);
  answer_begun();
  co_await joined();
}

std::size_t PipeWriter::unread() const {
  int count = 0;
  Descriptor& pipe = pipe_;
  if (::ioctl(pipe.native_handle(), FIONREAD, &count) != 0) return 0;
  return static_cast<std::size_t>(count);
}

}  // namespace fwd
