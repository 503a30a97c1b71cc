#pragma once

#include <cstdint>
#include <cstdio>

namespace fwd::bench {

/// ab's `Completed N requests` lines. With a known number of requests every tenth of it, at least 100; without one
/// after 1000, 2000, 5000, 10000, 20000 … requests, so that a long run does not fill the screen. Source:
/// load-generators 1.2.
class Progress {
 public:
  /// Silent if `quiet`, or if `requests` is from 1 to 150; 0 stands for an unknown number.
  Progress(std::uint64_t requests, bool quiet, std::FILE* out);

  bool shown() const { return next_ != 0; }
  void completed(std::uint64_t count) {
    if (count == next_) print(count);
  }
  void finished(std::uint64_t count);

 private:
  void print(std::uint64_t count);

  std::FILE* out_;
  std::uint64_t step_ = 0;  // 0 = 1, 2, 5, 10 …
  std::uint64_t next_ = 0;  // 0 = never
};

}  // namespace fwd::bench
