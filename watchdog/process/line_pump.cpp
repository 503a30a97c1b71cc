#include "watchdog/process/line_pump.hpp"

namespace fwd {
namespace {
constexpr std::size_t kFirstBytes = 1024;
constexpr std::size_t kMostBytes = 64 * 1024;  // Linux default pipe size, pipe(7)
constexpr int kLastReads = 16;  // 1 MiB, the largest pipe; a grandchild that holds it may write for ever
}  // namespace

LinePump::LinePump(const Executor& executor, UniqueFd fd, std::size_t limit_bytes, LineSplitter::OnLine on_line)
    : stream_(make_descriptor(executor, std::move(fd))), lines_(limit_bytes, std::move(on_line)), input_(stream_, kFirstBytes, kMostBytes) {
  input_.on_unawaited([this] { take(); });
  input_.start();
}

void LinePump::take() {
  lines_.feed(input_.data());
  input_.consume(input_.data().size());
  if (input_.failure()) return lines_.end();
  input_.start();
}

void LinePump::finish() {
  if (!stream_.is_open()) return;
  input_.on_unawaited(nullptr);
  char bytes[kMostBytes];
  Error error;
  for (int reads = 0; reads < kLastReads && !error; ++reads) {
    const std::size_t count = stream_.read_some(asio::buffer(bytes), error);
    lines_.feed({bytes, count});
  }
  lines_.end();
  stream_.close(error);  // nothing can be done about a failed close
}

}  // namespace fwd
