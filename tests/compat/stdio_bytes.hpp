#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unistd.h>

/// Bytes from stdin and to stdout, for programs that stand for a function.
namespace stdio_bytes {

/// One buffer over stdin.
class Input {
 public:
  /// The next byte, or -1 at the end.
  int next() {
    if (at_ == buffer_.size() && !fill()) return -1;
    return static_cast<unsigned char>(buffer_[at_++]);
  }

  /// Exactly `count` bytes, or what there was before the end.
  std::string take(std::size_t count) {
    std::string bytes;
    bytes.reserve(count);
    while (bytes.size() < count && (at_ < buffer_.size() || fill())) {
      const std::string_view piece = std::string_view(buffer_).substr(at_, count - bytes.size());
      bytes += piece;
      at_ += piece.size();
    }
    return bytes;
  }

  /// The largest number of heads that one read found.
  std::size_t most_heads() const { return most_heads_; }

 private:
  static constexpr std::size_t kReadBytes = 8192;  // what a buffered reader of the originals asks for

  bool fill() {
    buffer_.resize(kReadBytes);
    at_ = 0;
    const ssize_t count = read(STDIN_FILENO, buffer_.data(), buffer_.size());
    buffer_.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    count_heads();
    return count > 0;
  }

  void count_heads() {
    std::size_t heads = 0;
    for (std::size_t at = 0; (at = buffer_.find("\r\n\r\n", at)) != std::string::npos; ++at) ++heads;
    if (heads > most_heads_) most_heads_ = heads;
  }

  std::string buffer_;
  std::size_t at_ = 0;
  std::size_t most_heads_ = 0;
};

/// Writes all of `bytes`; ends the process when nobody reads.
inline void write_all(std::string_view bytes, int descriptor = STDOUT_FILENO) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0) _exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace stdio_bytes
