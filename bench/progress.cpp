#include "bench/progress.hpp"

#include <algorithm>

namespace fwd::bench {
namespace {

constexpr std::uint64_t kSilentUpTo = 150;  // ab's
constexpr std::uint64_t kSmallestStep = 100;
constexpr std::uint64_t kFirstOfUnknown = 1000;

/// 1, 2, 5, 10, 20 …: whatever starts with a 2 grows by half, everything else doubles.
std::uint64_t next_round(std::uint64_t count) {
  std::uint64_t lead = count;
  while (lead >= 10) lead /= 10;
  return lead == 2 ? count / 2 * 5 : count * 2;
}

}  // namespace

Progress::Progress(std::uint64_t requests, bool quiet, std::FILE* out) : out_(out) {
  if (quiet || (requests > 0 && requests <= kSilentUpTo)) return;
  if (requests > 0) step_ = std::max(kSmallestStep, requests / 10);
  next_ = requests > 0 ? step_ : kFirstOfUnknown;
}

void Progress::print(std::uint64_t count) {
  std::fprintf(out_, "Completed %llu requests\n", static_cast<unsigned long long>(count));
  next_ = step_ > 0 ? count + step_ : next_round(count);
}

void Progress::finished(std::uint64_t count) {
  if (shown()) std::fprintf(out_, "Finished %llu requests\n", static_cast<unsigned long long>(count));
}

}  // namespace fwd::bench
