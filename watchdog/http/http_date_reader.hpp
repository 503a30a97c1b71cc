#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fwd {

/// The moment that an HTTP field names, in any of the three forms that a server has to understand; nothing if it is no
/// date. The name of the day is not compared with the date.
/// Units:  seconds since 1970. A year of two digits below 70 is in this century, as in POSIX.
/// Source: RFC 9110 section 5.6.7.
std::optional<std::int64_t> read_http_date(std::string_view text);

}  // namespace fwd
