#include "watchdog/http/cgi_response.hpp"

namespace fwd {
namespace {

std::string_view without_cr(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

/// Without the check, for a line that is_field_line() has seen.
Field split_field(std::string_view line) {
  const auto colon = line.find(':');
  return {line.substr(0, colon), trim_blanks(line.substr(colon + 1))};
}

bool is_field_line(std::string_view line) {
  if (line.find(':') == std::string_view::npos) return false;
  const auto field = split_field(line);
  return is_token(field.name) && is_field_value(field.value);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

Result<CgiResponse::Verdict> CgiResponse::feed(std::string_view bytes) {
  bytes_.append(bytes);
  while (name_end_ < bytes_.size() && is_token_char(bytes_[name_end_])) ++name_end_;
  if (name_end_ < bytes_.size() && (name_end_ == 0 || bytes_[name_end_] != ':')) return verdict_ = Verdict::no_block;
  return take_lines();
}

Result<CgiResponse::Verdict> CgiResponse::take_lines() {
  for (auto lf = bytes_.find('\n', searched_); lf < kMaxBytes; lf = bytes_.find('\n', searched_)) {
    const auto line = without_cr(std::string_view(bytes_).substr(line_start_, lf - line_start_));
    const bool is_first = line_start_ == 0;
    line_start_ = searched_ = lf + 1;
    if (line.empty()) return finish_block();
    if (is_field_line(line)) continue;
    if (!is_first) return Error(Errc::worker_protocol);
    return verdict_ = Verdict::no_block;
  }
  searched_ = bytes_.size();
  if (bytes_.size() < kMaxBytes) return verdict_;
  if (line_start_ > 0) return Error(Errc::worker_protocol);
  return verdict_ = Verdict::no_block;
}

CgiResponse::Verdict CgiResponse::end() {
  if (verdict_ == Verdict::undecided) verdict_ = Verdict::no_block;
  return verdict_;
}

/// Looks at the lines once more: bytes_ grows no more, so that there can be views into it.
Result<CgiResponse::Verdict> CgiResponse::finish_block() {
  auto lines = std::string_view(bytes_).substr(0, line_start_);
  bool has_location = false;
  for (auto lf = lines.find('\n'); lf != std::string_view::npos; lf = lines.find('\n')) {
    const auto line = without_cr(lines.substr(0, lf));
    lines.remove_prefix(lf + 1);
    if (line.empty()) break;
    const auto field = split_field(line);
    if (same_name(field.name, "status")) {
      if (const auto error = read_status(field.value)) return error;
      continue;
    }
    has_location = has_location || (same_name(field.name, "location") && !field.value.empty());
    fields_.push_back(field);
  }
  if (status_ == 0) status_ = has_location ? 302 : 200;
  return verdict_ = Verdict::block;
}

/// Three digits, then nothing or a blank and a reason.
Error CgiResponse::read_status(std::string_view value) {
  if (status_ != 0 || value.size() < 3) return Errc::worker_protocol;
  if (value.size() > 3 && value[3] != ' ' && value[3] != '\t') return Errc::worker_protocol;
  for (const char c : value.substr(0, 3)) {
    if (!is_digit(c)) return Errc::worker_protocol;
    status_ = status_ * 10 + (c - '0');
  }
  reason_ = trim_blanks(value.substr(3));
  return status_ >= 200 && status_ <= 599 ? Error{} : Error(Errc::worker_protocol);
}

std::string_view CgiResponse::body() const {
  return std::string_view(bytes_).substr(verdict_ == Verdict::block ? line_start_ : 0);
}

}  // namespace fwd
