#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace fwd {

/// Cuts a stream into lines. A line over the limit is handed out in pieces, so that nothing is lost and memory is
/// bounded; a last line without a newline is handed out at the end.
class LineSplitter {
 public:
  using OnLine = std::function<void(std::string_view)>;

  LineSplitter(std::size_t limit_bytes, OnLine on_line) : limit_(limit_bytes), on_line_(std::move(on_line)) {}

  void feed(std::string_view bytes);
  void end();

 private:
  void emit();

  std::size_t limit_;
  OnLine on_line_;
  std::string partial_;
  bool cut_ = false;  // the last piece reached the limit
};

}  // namespace fwd
