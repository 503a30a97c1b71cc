#include "watchdog/http/http_date_reader.hpp"

#include <algorithm>
#include <time.h>

namespace fwd {
namespace {

/// Takes a date apart. After the first thing that does not fit, nothing fits any more.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return fits_ && text_.empty(); }
  bool next_is(char c) const { return text_.starts_with(c); }

  void expect(std::string_view literal) {
    fits_ = fits_ && text_.starts_with(literal);
    if (fits_) text_.remove_prefix(literal.size());
  }
  void letters() {
    const auto count = std::ranges::find_if(text_, [](char c) { return !is_letter(c); }) - text_.begin();
    fits_ = fits_ && count >= 3;
    if (fits_) text_.remove_prefix(static_cast<std::size_t>(count));
  }
  /// Exactly `digits` digits, no more than `most`.
  int number(std::size_t digits, int most) {
    int value = 0;
    fits_ = fits_ && text_.size() >= digits;
    for (std::size_t i = 0; fits_ && i < digits; ++i) {
      fits_ = text_[i] >= '0' && text_[i] <= '9';
      value = value * 10 + (text_[i] - '0');
    }
    fits_ = fits_ && value <= most;
    if (fits_) text_.remove_prefix(digits);
    return value;
  }
  /// 0 to 11.
  int month() {
    constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const auto place = text_.size() < 3 ? std::string_view::npos : kMonths.find(text_.substr(0, 3));
    fits_ = fits_ && place != std::string_view::npos && place % 3 == 0;
    if (fits_) text_.remove_prefix(3);
    return static_cast<int>(place / 3);
  }
  void time_of_day(tm& out) {
    out.tm_hour = number(2, 23);
    expect(":");
    out.tm_min = number(2, 59);
    expect(":");
    out.tm_sec = number(2, 60);  // a leap second
  }

 private:
  static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

  std::string_view text_;
  bool fits_ = true;
};

/// `06 Nov 1994 08:49:37 GMT`, or with dashes and two digits of the year.
void read_date_first(Reader& in, tm& out) {
  in.expect(", ");
  out.tm_mday = in.number(2, 31);
  const bool old = in.next_is('-');
  in.expect(old ? "-" : " ");
  out.tm_mon = in.month();
  in.expect(old ? "-" : " ");
  const int year = in.number(old ? 2 : 4, 9999);
  out.tm_year = !old ? year - 1900 : year < 70 ? year + 100 : year;
  in.expect(" ");
  in.time_of_day(out);
  in.expect(" GMT");
}

/// `Nov  6 08:49:37 1994`, as asctime(3) writes it.
void read_month_first(Reader& in, tm& out) {
  in.expect(" ");
  out.tm_mon = in.month();
  in.expect(" ");
  if (in.next_is(' ')) {
    in.expect(" ");
    out.tm_mday = in.number(1, 9);
  } else {
    out.tm_mday = in.number(2, 31);
  }
  in.expect(" ");
  in.time_of_day(out);
  in.expect(" ");
  out.tm_year = in.number(4, 9999) - 1900;
}

}  // namespace

std::optional<std::int64_t> read_http_date(std::string_view text) {
  Reader in(text);
  tm parts{};
  in.letters();
  if (in.next_is(',')) {
    read_date_first(in, parts);
  } else {
    read_month_first(in, parts);
  }
  if (!in.at_end()) return std::nullopt;
  const int day = parts.tm_mday;
  const bool leap_second = parts.tm_sec == 60;
  if (leap_second) parts.tm_sec = 59;
  const std::int64_t moment = ::timegm(&parts);
  if (parts.tm_mday != day) return std::nullopt;  // 30 Feb became 2 Mar
  return moment + (leap_second ? 1 : 0);
}

}  // namespace fwd
