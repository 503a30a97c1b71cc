#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "watchdog/base/error.hpp"

namespace fwd {

/// Splits the text of `fprocess` into program and arguments.
/// Shape:  as a shell splits it: any number of blanks between words; '…' keeps all, "…" all but \" \\ \$ \` and
///         backslash-newline, a backslash outside keeps the next character. Nothing is expanded, no shell runs.
///         A text that starts with `[` is a JSON array of strings instead: ["python3", "my file.py"].
/// Errors: invalid_value for an open quote, a lone backslash at the end, no word at all, an empty program name,
///         JSON that is not an array of strings, a NUL.
/// Source: POSIX Shell Command Language 2.2 (quoting); RFC 8259 (JSON).
Result<std::vector<std::string>> split_command(std::string_view text);

}  // namespace fwd
