#include "watchdog/http/trace_context.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <sys/random.h>

namespace fwd {
namespace {

constexpr std::size_t kTraceId = 3;  // where each part starts
constexpr std::size_t kTraceIdLength = 32;
constexpr std::size_t kParentId = 36;
constexpr std::size_t kParentIdLength = 16;
constexpr std::size_t kFlags = 53;

constexpr unsigned kSampled = 1;
constexpr unsigned kRandom = 2;  // the trace id is random: level 2

constexpr std::string_view kDigits = "0123456789abcdef";

bool is_hex(std::string_view text) {
  return text.find_first_not_of(kDigits) == std::string_view::npos;
}

bool is_id(std::string_view text) {
  return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

unsigned hex_value(char digit) {
  return static_cast<unsigned>(kDigits.find(digit));
}

/// Fills `out` with random bytes. A request takes 8 or 24 of them, and a system call costs more than that: they are
/// fetched 1 KiB at a time. One store a thread, since it is no state that anybody could see.
void take_random(std::span<unsigned char> out) {
  thread_local std::array<unsigned char, 1024> store;
  thread_local std::size_t used = store.size();
  if (store.size() - used < out.size()) {
    for (std::size_t have = 0; have < store.size();) {
      const auto count = ::getrandom(store.data() + have, store.size() - have, 0);
      if (count > 0) have += static_cast<std::size_t>(count);  // only EINTR is possible
    }
    used = 0;
  }
  std::memcpy(out.data(), store.data() + used, out.size());
  used += out.size();
}

/// Writes a random id of `length` digits that is not zero.
void write_id(char* out, std::size_t length) {
  std::array<unsigned char, kTraceIdLength / 2> bytes;
  const std::span<unsigned char> taken(bytes.data(), length / 2);
  do {
    take_random(taken);
  } while (std::ranges::all_of(taken, [](unsigned char byte) { return byte == 0; }));
  for (const auto byte : taken) {
    *out++ = kDigits[byte >> 4U];
    *out++ = kDigits[byte & 15U];
  }
}

}  // namespace

TraceContext TraceContext::from(std::optional<std::string_view> field) {
  auto parsed = field ? parse(*field) : std::nullopt;
  TraceContext context;
  if (parsed) {
    context = *parsed;
  } else {
    // Sampled: a function whose sampler goes by its parent would otherwise drop what it keeps when it is the first.
    std::ranges::copy(std::string_view("00-................................-................-03"),
                      context.text_.begin());
    write_id(context.text_.data() + kTraceId, kTraceIdLength);
  }
  write_id(context.text_.data() + kParentId, kParentIdLength);
  return context;
}

std::optional<TraceContext> TraceContext::parse(std::string_view field) {
  if (field.size() < kLength) return {};
  const auto version = field.substr(0, 2);
  if (!is_hex(version) || version == "ff") return {};
  if (field.size() > kLength && (version == "00" || field[kLength] != '-')) return {};
  if (field[kTraceId - 1] != '-' || field[kParentId - 1] != '-' || field[kFlags - 1] != '-') return {};
  if (!is_id(field.substr(kTraceId, kTraceIdLength)) || !is_id(field.substr(kParentId, kParentIdLength))) return {};
  const auto flags = field.substr(kFlags, 2);
  if (!is_hex(flags)) return {};

  TraceContext context;
  std::ranges::copy(field.substr(0, kLength), context.text_.begin());
  // What version 00 does not know is not sent on: level 2, "Other Flags".
  context.text_[0] = context.text_[1] = context.text_[kFlags] = '0';
  context.text_[kFlags + 1] = kDigits[hex_value(flags[1]) & (kSampled | kRandom)];
  return context;
}

bool TraceContext::continues(std::optional<std::string_view> field) const {
  const auto other = field ? parse(*field) : std::nullopt;
  return other && other->trace_id() == trace_id();
}

}  // namespace fwd
