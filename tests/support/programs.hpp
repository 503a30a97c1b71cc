#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <unistd.h>

namespace fwd::test {

/// True if `name` is a program in PATH. For tests that have nothing to test without it.
inline bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/" + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace fwd::test
