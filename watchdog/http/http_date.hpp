#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace fwd {

/// `Mon, 30 Nov 2026 20:35:52 GMT`: always 29 characters.
using HttpDateText = std::array<char, 29>;

/// The form of a moment that HTTP fields use.
/// Units:  seconds since 1970; years 0 to 9999, others are clamped.
/// Source: RFC 9110 section 5.6.7.
HttpDateText format_http_date(std::int64_t unix_seconds);

/// The value of Date for answers of this moment; formats once a second.
class HttpDate {
 public:
  /// Valid until the next call. Reads CLOCK_REALTIME_COARSE: wall time, at most a few milliseconds old.
  std::string_view now();

 private:
  std::int64_t second_ = std::numeric_limits<std::int64_t>::min();
  HttpDateText text_{};
};

}  // namespace fwd
