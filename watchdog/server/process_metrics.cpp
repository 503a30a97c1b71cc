#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <filesystem>
#include <sstream>

#include "watchdog/server/metrics.hpp"

namespace fwd {
namespace {

/// Fields of /proc/self/stat after the name, which may hold blanks; proc(5) counts from 1, and these begin at 3.
std::vector<double> stat_fields() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  if (!std::getline(file, line)) return {};
  std::istringstream rest(line.substr(line.rfind(')') + 2));
  rest.ignore(2);  // the state, a letter
  std::vector<double> fields;
  for (double value; rest >> value;) fields.push_back(value);
  return fields;
}

double boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("btime ")) return std::stod(line.substr(6));
  return 0;
}

std::size_t open_descriptors() {
  std::error_code failure;
  const std::filesystem::directory_iterator entries("/proc/self/fd", failure);
  if (failure) return 0;
  return static_cast<std::size_t>(std::distance(begin(entries), end(entries))) - 1;  // one of them reads this list
}

void append_one(std::string& out, std::string_view name, std::string_view type, std::string_view help, double value) {
  append_family(out, name, type, help);
  append_sample(out, name, value);
}

}  // namespace

void append_process_metrics(std::string& out) {
  const std::vector<double> stat = stat_fields();
  if (stat.size() < 21) return;  // no /proc here
  const double tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const auto field = [&stat](std::size_t number) { return stat[number - 4]; };  // numbers as in proc(5)
  rlimit files{}, memory{};
  (void)::getrlimit(RLIMIT_NOFILE, &files);  // cannot fail for these resources
  (void)::getrlimit(RLIMIT_AS, &memory);
  append_one(out, "process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.",
             (field(14) + field(15)) / tick);
  append_one(out, "process_open_fds", "gauge", "Number of open file descriptors.",
             static_cast<double>(open_descriptors()));
  append_one(out, "process_max_fds", "gauge", "Maximum number of open file descriptors.",
             static_cast<double>(files.rlim_cur));
  append_one(out, "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.", field(24) * page);
  append_one(out, "process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", field(23));
  append_one(out, "process_virtual_memory_max_bytes", "gauge", "Maximum amount of virtual memory available in bytes.",
             static_cast<double>(memory.rlim_cur));  // no limit is 2^64, as Go's client has it
  append_one(out, "process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.",
             boot_time() + field(22) / tick);
}

}  // namespace fwd
