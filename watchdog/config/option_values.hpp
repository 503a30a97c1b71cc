#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "watchdog/base/error.hpp"

namespace fwd {

/// What came of reading the text of one option. All three empty: read, nothing to say.
struct Reading {
  std::string problem;  // why the text cannot be read; the setting is unchanged
  std::string warning;  // read, but not as the reader may expect
  std::string changed;  // an old watchdog read this text of its environment differently: the rest of a sentence
};

/// Go's ParseBool texts (1, t, T, TRUE, true, True, 0, f, ...) and yes, no, on, off in three cases each.
Result<bool> parse_boolean(std::string_view text);

/// Decimal digits, after a `-` if negative. No blanks, no `+`.
Result<std::int64_t> parse_integer(std::string_view text);

/// Units:  bytes; suffixes as Kubernetes has them: k, K, M, G are powers of 1000, Ki, Mi, Gi of 1024.
Result<std::size_t> parse_bytes(std::string_view text);

/// `text` in double quotes on one line: control characters escaped, long texts cut.
std::string in_quotes(std::string_view text);

}  // namespace fwd
