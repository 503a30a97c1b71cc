#include "bench/generator.hpp"

#include <sys/resource.h>

namespace fwd::bench {
namespace {

double in_seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

GeneratorUse measure_generator() {
  rusage usage{};
  (void)::getrusage(RUSAGE_SELF, &usage);  // cannot fail with these arguments
  return {.user_seconds = in_seconds(usage.ru_utime), .system_seconds = in_seconds(usage.ru_stime)};
}

GeneratorUse operator-(const GeneratorUse& now, const GeneratorUse& before) {
  return {now.user_seconds - before.user_seconds, now.system_seconds - before.system_seconds};
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)::setrlimit(RLIMIT_NOFILE, &limit);  // if it fails, the old limit holds and EMFILE is counted by name
}

}  // namespace fwd::bench
