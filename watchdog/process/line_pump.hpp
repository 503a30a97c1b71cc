#pragma once

#include "watchdog/base/descriptor.hpp"
#include "watchdog/base/read_ahead.hpp"
#include "watchdog/process/line_splitter.hpp"

namespace fwd {

/// Reads a pipe to its end and hands out its lines. Never stops reading, so that a function never blocks on its log.
class LinePump {
 public:
  LinePump(const Executor& executor, UniqueFd fd, std::size_t limit_bytes, LineSplitter::OnLine on_line);

  /// Takes in what is there now, then closes: for the last words of a process that has ended.
  void finish();

 private:
  void take();

  Descriptor stream_;
  LineSplitter lines_;
  ReadAhead<Descriptor> input_;
};

}  // namespace fwd
