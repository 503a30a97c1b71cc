#include "modes/multipart.hpp"

#include <array>
#include <cstring>
#include <sys/random.h>
#include <time.h>

#include "watchdog/http/render.hpp"

namespace fwd {
namespace {

/// 32 letters that nobody can guess: what is in a file was there before.
std::string random_boundary() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), GRND_NONBLOCK) != static_cast<ssize_t>(bytes.size())) {
    timespec now{};
    (void)::clock_gettime(CLOCK_REALTIME, &now);  // right after boot: guessable, and still in no file
    std::memcpy(bytes.data(), &now, sizeof now);
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace

Multipart::Multipart(std::string_view type, std::uint64_t size)
    : type_(type), size_(size), boundary_(random_boundary()) {}

void Multipart::append_part_head(std::string& out, const ByteRange& range, bool first) const {
  out += first ? "--" : "\r\n--";
  out += boundary_;
  if (!type_.empty()) {
    out += "\r\nContent-Type: ";
    out += type_;
  }
  out += "\r\nContent-Range: ";
  append_content_range(out, range, size_);
  out += "\r\n\r\n";
}

void Multipart::append_end(std::string& out) const {
  out += "\r\n--";
  out += boundary_;
  out += "--\r\n";
}

std::uint64_t Multipart::length(std::span<const ByteRange> ranges) const {
  std::string frame;
  std::uint64_t bytes = 0;
  for (const ByteRange& range : ranges) {
    append_part_head(frame, range, frame.empty());
    bytes += range.count;
  }
  append_end(frame);
  return bytes + frame.size();
}

void append_content_range(std::string& out, const ByteRange& range, std::uint64_t size) {
  out += "bytes ";
  append_number(out, range.first);
  out += '-';
  append_number(out, range.last());
  out += '/';
  append_number(out, size);
}

}  // namespace fwd
