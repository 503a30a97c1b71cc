#include "watchdog/process/line_splitter.hpp"

#include <algorithm>

namespace fwd {

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t room = limit_ - partial_.size();
    const std::size_t newline = bytes.find('\n');
    const std::size_t length = std::min({newline, bytes.size(), room});
    const bool complete = length == newline;
    if (complete && partial_.empty()) {
      emit(bytes.substr(0, length));
    } else {
      partial_.append(bytes.substr(0, length));
      if (complete || partial_.size() == limit_) end();
    }
    bytes.remove_prefix(complete ? length + 1 : length);
  }
}

void LineSplitter::end() {
  if (partial_.empty()) return;
  emit(partial_);
  partial_.clear();
}

void LineSplitter::emit(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  on_line_(line);
}

}  // namespace fwd
