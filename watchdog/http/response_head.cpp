#include "watchdog/http/response_head.hpp"

#include <cstring>

#include "watchdog/http/request_check.hpp"

namespace fwd {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The end of the line that starts at `p`, without its LF or CRLF; `next` is where the following one starts.
char* line_end(char* p, char* end, char*& next) {
  auto* lf = static_cast<char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)));
  if (lf == nullptr) return nullptr;
  next = lf + 1;
  return lf > p && lf[-1] == '\r' ? lf - 1 : lf;
}

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

}  // namespace

Error ResponseHead::assign(std::string_view bytes) {
  bytes_.assign(bytes);
  fields_.clear();
  fields_.reserve(16);  // enough for most functions, so that a worker allocates once
  reason_ = {};
  content_length_.reset();
  status_ = 0;
  minor_version_ = 1;
  has_coding_ = chunked_ = closes_ = connection_names_fields_ = false;

  char* next = nullptr;
  char* begin = bytes_.data();
  char* end = begin + bytes_.size();
  const char* first_end = line_end(begin, end, next);
  if (first_end == nullptr) return Errc::worker_protocol;
  if (auto error = parse_status_line({begin, static_cast<std::size_t>(first_end - begin)})) return error;
  if (auto error = parse_fields(next, end)) return error;
  return interpret();
}

/// `HTTP/1.x`, blanks, three digits, then nothing or a blank and a reason.
Error ResponseHead::parse_status_line(std::string_view line) {
  if (line.size() < 12 || !line.starts_with("HTTP/1.") || !is_digit(line[7]) || line[8] != ' ') {
    return Errc::worker_protocol;
  }
  minor_version_ = line[7] == '0' ? 0 : 1;
  const auto rest = trim_blanks(line.substr(9));
  if (rest.size() < 3 || !is_digit(rest[0]) || !is_digit(rest[1]) || !is_digit(rest[2])) return Errc::worker_protocol;
  if (rest.size() > 3 && !is_blank(rest[3])) return Errc::worker_protocol;
  status_ = (rest[0] - '0') * 100 + (rest[1] - '0') * 10 + (rest[2] - '0');
  if (status_ < 100 || status_ > 599) return Errc::worker_protocol;
  reason_ = trim_blanks(rest.substr(3));
  return is_field_value(reason_) ? Error{} : Error(Errc::worker_protocol);
}

Error ResponseHead::parse_fields(char* p, char* end) {
  char* field = nullptr;  // the field under way, and where it ends so far
  char* field_end = nullptr;
  while (p < end) {
    char* next = nullptr;
    char* stop = line_end(p, end, next);
    if (stop == nullptr) return Errc::worker_protocol;
    if (p != stop && is_blank(*p)) {
      if (field == nullptr) return Errc::worker_protocol;                    // nothing that could be continued
      std::memset(field_end, ' ', static_cast<std::size_t>(p - field_end));  // the fold itself
    } else {
      if (field != nullptr) {
        if (auto error = add_field(field, field_end)) return error;
      }
      if (p == stop) return next == end ? Error{} : Error(Errc::worker_protocol);
      field = p;
    }
    field_end = stop;
    p = next;
  }
  return Errc::worker_protocol;  // no empty line
}

Error ResponseHead::add_field(char* begin, char* end) {
  const std::string_view line(begin, static_cast<std::size_t>(end - begin));
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return Errc::worker_protocol;
  auto name = line.substr(0, colon);
  while (!name.empty() && is_blank(name.back())) name.remove_suffix(1);
  const auto value = trim_blanks(line.substr(colon + 1));
  if (!is_token(name) || !is_field_value(value)) return Errc::worker_protocol;
  fields_.push_back({name, value});
  return {};
}

Error ResponseHead::interpret() {
  for (const auto& field : fields_) {
    Error error;
    if (field.name.size() == 14 && same_name(field.name, "content-length")) {
      error = note_length(field.value);
    } else if (field.name.size() == 17 && same_name(field.name, "transfer-encoding")) {
      error = note_coding(field.value);
    } else if (field.name.size() == 10 && same_name(field.name, "connection")) {
      auto list = field.value;
      for (auto token = next_element(list); !token.empty(); token = next_element(list)) {
        (same_name(token, "close") ? closes_ : connection_names_fields_) = true;
      }
    }
    if (error) return error;
  }
  if (has_coding_ && content_length_) return Errc::worker_protocol;
  return chunked_ && minor_version_ == 0 ? Error(Errc::worker_protocol) : Error{};
}

/// Repeated lengths (`5, 5` or two lines) are taken if they agree: RFC 9110 section 8.6.
Error ResponseHead::note_length(std::string_view value) {
  if (value.empty()) return Errc::worker_protocol;
  while (true) {
    const auto comma = value.find(',');
    const auto length = parse_content_length(trim_blanks(value.substr(0, comma)));
    if (!length || (content_length_ && *content_length_ != *length)) return Errc::worker_protocol;
    content_length_ = length;
    if (comma == std::string_view::npos) return {};
    value.remove_prefix(comma + 1);
  }
}

Error ResponseHead::note_coding(std::string_view value) {
  if (same_name(value, "identity")) return {};  // says nothing: RFC 2616 section 3.6
  if (has_coding_ || !same_name(value, "chunked")) return Errc::worker_protocol;
  has_coding_ = chunked_ = true;
  return {};
}

std::optional<std::string_view> ResponseHead::find(std::string_view name) const {
  for (const auto& field : fields_) {
    if (same_name(field.name, name)) return field.value;
  }
  return {};
}

bool ResponseHead::is_for_this_hop(std::string_view name) const {
  if (is_hop_by_hop(name)) return true;
  if (!connection_names_fields_) return false;
  for (const auto& field : fields_) {
    if (same_name(field.name, "connection") && has_token(field.value, name)) return true;
  }
  return false;
}

}  // namespace fwd
