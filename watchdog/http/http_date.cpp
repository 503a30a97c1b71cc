#include "watchdog/http/http_date.hpp"

#include <algorithm>
#include <time.h>

namespace fwd {
namespace {

constexpr std::int64_t kFirst = -62167219200;  // year 0
constexpr std::int64_t kLast = 253402300799;   // the end of year 9999
constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";

class Writer {
 public:
  explicit Writer(HttpDateText& out) : out_(out) {}
  void text(std::string_view text) { at_ = std::copy(text.begin(), text.end(), at_); }
  void number(int value, int digits) {
    for (int i = digits - 1; i >= 0; --i, value /= 10) at_[i] = static_cast<char>('0' + value % 10);
    at_ += digits;
  }

 private:
  HttpDateText& out_;
  HttpDateText::iterator at_ = out_.begin();
};

}  // namespace

HttpDateText format_http_date(std::int64_t unix_seconds) {
  const time_t moment = std::clamp(unix_seconds, kFirst, kLast);
  tm parts{};
  (void)::gmtime_r(&moment, &parts);  // cannot fail between those years
  HttpDateText text;
  Writer out(text);
  out.text(kDays.substr(static_cast<std::size_t>(parts.tm_wday) * 3, 3));
  out.text(", ");
  out.number(parts.tm_mday, 2);
  out.text(" ");
  out.text(kMonths.substr(static_cast<std::size_t>(parts.tm_mon) * 3, 3));
  out.text(" ");
  out.number(parts.tm_year + 1900, 4);
  out.text(" ");
  out.number(parts.tm_hour, 2);
  out.text(":");
  out.number(parts.tm_min, 2);
  out.text(":");
  out.number(parts.tm_sec, 2);
  out.text(" GMT");
  return text;
}

std::string_view HttpDate::now() {
  timespec moment{};
  (void)::clock_gettime(CLOCK_REALTIME_COARSE, &moment);  // fails only for an unknown clock
  if (moment.tv_sec != second_) {
    second_ = moment.tv_sec;
    text_ = format_http_date(second_);
  }
  return {text_.data(), text_.size()};
}

}  // namespace fwd
