#include "modes/function_runtime.hpp"

#include <sys/poll.h>
#include <unistd.h>

#include <csignal>

#include <string_view>

#include "watchdog/process/spawn.hpp"

namespace fwd {
namespace {

constexpr int kPatienceMilliseconds = 5000;

std::vector<std::string> inherited_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) entries.emplace_back(*entry);
  return entries;
}

/// The first byte that the program prints; 0 if it prints nothing. The reaper takes the process in.
char first_printed(std::vector<std::string> argv) {
  const SpawnRequest request{.argv = std::move(argv), .environment = inherited_environment()};
  const auto child = spawn(request);
  if (!child) return 0;
  pollfd readable{child->output.get(), POLLIN, 0};
  char first = 0;
  const bool printed =
      ::poll(&readable, 1, kPatienceMilliseconds) == 1 && ::read(child->output.get(), &first, 1) == 1;
  (void)::kill(-child->pid, SIGKILL);  // it has said what it was asked for, or never will
  return printed ? first : 0;
}

}  // namespace

LengthUnit old_template_unit(const std::vector<std::string>& argv) {
  if (argv.empty()) return LengthUnit::bytes;
  const std::string_view program(argv.front());
  const std::string_view name = program.substr(program.rfind('/') + 1);
  if (name.starts_with("python3") || name.starts_with("pypy3")) return LengthUnit::codepoints;
  if (name == "node" || name == "nodejs" || name == "java") return LengthUnit::utf16;
  if (name != "python" && name != "pypy") return LengthUnit::bytes;
  const char major = first_printed({argv.front(), "-c", "import sys; print(sys.version_info[0])"});
  return major == '3' ? LengthUnit::codepoints : LengthUnit::bytes;
}

}  // namespace fwd
