#pragma once

#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "tests/e2e/fragilities.hpp"
#include "tests/support/temporary_folder.hpp"

/// What the tests of static mode share.
namespace fwd::test {

/// Serves `root` below `files`, or what `variables` say instead.
inline WatchdogOptions static_site(const TemporaryFolder& files, Variables variables = {}) {
  variables.try_emplace("mode", "static");
  variables.try_emplace("static_path", files / "root");
  return {.environment = std::move(variables)};
}

/// Bytes that show where they are from, other ones for each `seed`.
inline std::string pattern(std::size_t size, unsigned seed = 0) {
  std::string bytes(size, '\0');
  unsigned state = seed * 2654435761U + 1;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

inline HttpAnswer get(const WatchdogProcess& watchdog, std::string_view target, const Fields& fields = {}) {
  return request(watchdog.port(), "GET", target, {}, fields);
}

}  // namespace fwd::test
