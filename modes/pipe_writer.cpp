#include "modes/pipe_writer.hpp"

#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <sys/ioctl.h>

#include <algorithm>

namespace fwd {
namespace {

constexpr std::size_t kLastPieceBytes = 32 * 1024;
constexpr std::size_t kPieceBytes = 256 * 1024;
constexpr int kWidePipeBytes = 1024 * 1024;         // /proc/sys/fs/pipe-max-size; refused beyond a user's share
constexpr nanoseconds kDrainPoll = milliseconds(1);

}  // namespace

/// Where the piece begins that is held back until the function has read all before it.
std::uint64_t PipeWriter::last_piece() const {
  if (is_one_write(head_.size(), body_.size())) return body_.size();
  return body_.size() - std::min<std::uint64_t>(body_.size(), kLastPieceBytes);
}

Error PipeWriter::fill_first() {
  const std::uint64_t room = kOneWriteBytes - std::min(head_.size(), kOneWriteBytes);
  in_first_ = std::min(room, last_piece());
  const auto body = body_.read(0, static_cast<std::size_t>(in_first_));
  if (!body) return body.error();
  first_.assign(head_).append(*body);
  return {};
}

Error PipeWriter::begin() {
  if (const Error error = fill_first()) return error;
  if (in_first_ < body_.size())
    (void)::fcntl(pipe_.native_handle(), F_SETPIPE_SZ, kWidePipeBytes);  // slower without, but right
  Error error;
  written_ = pipe_.write_some(asio::buffer(first_), error);
  if (error && error != asio::error::would_block) return Errc::worker_died;
  complete_ = written_ == first_.size() && in_first_ == body_.size();
  if (complete_) return {};
  running_ = true;
  start(watch_.executor(), run());
  return {};
}

Task<void> PipeWriter::run() {
  complete_ = !co_await write_rest();
  running_ = false;
  ended_.wake(watch_.executor());
}

Task<Error> PipeWriter::write_all(std::string_view bytes) {
  auto [error, count] = co_await asio::async_write(pipe_, asio::buffer(bytes), no_throw);
  co_return error;
}

Task<Error> PipeWriter::write_rest() {
  if (const Error error = co_await write_all(std::string_view(first_).substr(written_))) co_return error;
  const std::uint64_t held_back = last_piece();
  for (std::uint64_t offset = in_first_; offset < body_.size();) {
    if (offset == held_back) co_await drained();
    const std::uint64_t end = offset < held_back ? held_back : body_.size();
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
