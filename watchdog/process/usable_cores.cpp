#include "watchdog/process/usable_cores.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace fwd {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// cgroup v2, or v1's two files in the form of v2.
std::string quota() {
  const std::string unified = first_line("/sys/fs/cgroup/cpu.max");
  if (!unified.empty()) return unified;
  return first_line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us") + " " + first_line("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
}

}  // namespace

std::size_t cores_of_quota(std::string_view text) {
  std::istringstream words{std::string(text)};
  long long allowed = 0, period = 0;
  if (!(words >> allowed >> period) || allowed <= 0 || period <= 0) return 0;  // "max", -1, or no such file
  return static_cast<std::size_t>((allowed + period - 1) / period);
}

std::size_t usable_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::size_t cores = 1;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) cores = static_cast<std::size_t>(CPU_COUNT(&allowed));
  const std::size_t limit = cores_of_quota(quota());
  return std::max<std::size_t>(1, limit == 0 ? cores : std::min(cores, limit));
}

}  // namespace fwd
