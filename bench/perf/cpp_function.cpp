// The cheapest afterburn function that is still honest: blocking reads of stdin, Content-Length framing, one write per
// answer. It answers every request with the same 46 bytes, so what is measured is the way to it and back.
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <strings.h>
#include <unistd.h>

namespace {

constexpr std::size_t kInputBytes = 64 * 1024;  // Linux default pipe size, pipe(7); also the longest head
constexpr std::string_view kBody = "You said: something. That was so fast, indeed!";
static_assert(kBody.size() == 46);  // what performance.md's ping-pong answers

/// What stdin has given and nobody has taken yet.
class Input {
 public:
  std::string_view bytes() const { return {buffer_.data(), used_}; }

  void take(std::size_t count) {
    std::memmove(buffer_.data(), buffer_.data() + count, used_ - count);
    used_ -= count;
  }

  /// One read. False at the end of stdin, and when the buffer is full.
  bool read_more() {
    ssize_t got = 0;
    do {
      got = read(STDIN_FILENO, buffer_.data() + used_, buffer_.size() - used_);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) return false;
    used_ += static_cast<std::size_t>(got);
    return true;
  }

 private:
  std::size_t used_ = 0;
  std::array<char, kInputBytes> buffer_;
};

std::size_t content_length_of(std::string_view head) {
  constexpr std::string_view kName = "\ncontent-length:";
  for (std::size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1)) {
    if (head.size() - at > kName.size() && strncasecmp(head.data() + at, kName.data(), kName.size()) == 0)
      return std::strtoul(head.data() + at + kName.size(), nullptr, 10);
  }
  return 0;
}

/// Takes the body off the input; it is dropped as it comes, so its length is no matter.
bool drop_body(Input& input, std::size_t left) {
  while (left > input.bytes().size()) {
    left -= input.bytes().size();
    input.take(input.bytes().size());
    if (!input.read_more()) return false;
  }
  input.take(left);
  return true;
}

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

int main() {
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBody.size()) +
                             "\r\nContent-Type: text/plain\r\n\r\n" + std::string{kBody};
  static Input input;  // static: 64 KiB
  while (true) {
    const std::size_t end = input.bytes().find("\r\n\r\n");
    if (end == std::string_view::npos) {
      if (!input.read_more()) return 0;
      continue;
    }
    const std::size_t body_bytes = content_length_of(input.bytes().substr(0, end + 2));
    input.take(end + 4);
    if (!drop_body(input, body_bytes) || !write_all(answer)) return 0;
  }
}
