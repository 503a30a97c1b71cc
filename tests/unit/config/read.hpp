#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "watchdog/config/options.hpp"

namespace fwd {

using Arguments = std::vector<const char*>;

/// What read_options() makes of these and of a function; the test fails if that is an error.
inline Invocation good(const Arguments& arguments, Environment environment = {}) {
  environment.emplace_back("fprocess", "cat");
  auto read = read_options(arguments, environment);
  const auto* error = std::get_if<OptionError>(&read);
  EXPECT_EQ(error, nullptr) << error->text;
  return error == nullptr ? std::get<Invocation>(read) : Invocation{};
}

/// The error's text, or `none`.
inline std::string error_of(const Arguments& arguments, const Environment& environment = {}) {
  const auto read = read_options(arguments, environment);
  const auto* error = std::get_if<OptionError>(&read);
  return error == nullptr ? "none" : error->text;
}

}  // namespace fwd
