#include "bench/report/text.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>

namespace fwd::bench {

void print_to(std::string& text, const char* format, ...) {
  std::array<char, 512> line;
  std::va_list arguments;
  va_start(arguments, format);
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
  va_end(arguments);
  if (length >= 0 && static_cast<std::size_t>(length) < line.size()) {
    text.append(line.data(), static_cast<std::size_t>(length));
  } else if (length >= 0) {  // a long path or host
    const std::size_t before = text.size();
    text.resize(before + static_cast<std::size_t>(length) + 1);
    std::vsnprintf(text.data() + before, static_cast<std::size_t>(length) + 1, format, again);
    text.pop_back();
  }
  va_end(again);
}

}  // namespace fwd::bench
