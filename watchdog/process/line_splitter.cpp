#include "watchdog/process/line_splitter.hpp"

#include <algorithm>
#include <utility>

namespace fwd {

void LineSplitter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (std::exchange(cut_, false) && bytes.front() == '\n') {  // the line ended exactly at the limit
      bytes.remove_prefix(1);
      continue;
    }
    const std::size_t newline = bytes.find('\n');
    const std::size_t length = std::min({newline, bytes.size(), limit_ - partial_.size()});
    partial_.append(bytes.substr(0, length));
    bytes.remove_prefix(length);
    if (length == newline) {
      bytes.remove_prefix(1);
      emit();
    } else if (partial_.size() == limit_) {
      cut_ = true;
      emit();
    }
  }
}

void LineSplitter::end() {
  if (!partial_.empty()) emit();
}

void LineSplitter::emit() {
  std::string_view line = partial_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  on_line_(line);
  partial_.clear();
}

}  // namespace fwd
