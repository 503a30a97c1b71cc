#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace fwd {

/// Ends a fuzz target with a message; unlike assert it does not go away with NDEBUG.
inline void require(bool holds, const char* what) {
  if (holds) return;
  (void)std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A series of piece sizes from 1 to 8 that depends on the input alone.
class Cuts {
 public:
  explicit Cuts(std::string_view input) {
    for (char c : input) state_ = state_ * 31 + static_cast<unsigned char>(c);
  }
  std::size_t next() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return 1 + (state_ >> 61);
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace fwd
