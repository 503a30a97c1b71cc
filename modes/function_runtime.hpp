#pragma once

#include <string>
#include <vector>

#include "watchdog/http/length_units.hpp"

namespace fwd {

/// What the old templates for the runtime of `argv` count as Content-Length: code points for Python 3, UTF-16 units for
/// Node and the JVM, bytes for Python 2 and everything else. By the program's name; a plain `python` is asked.
/// Waits:  for `python`, at most 5 s.
/// Source: reference/afterburn.md 3.3.
LengthUnit old_template_unit(const std::vector<std::string>& argv);

}  // namespace fwd
