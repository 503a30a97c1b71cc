#include "watchdog/http/response_reader.hpp"

#include <algorithm>
#include <cstring>

#include "watchdog/http/field.hpp"

namespace fwd {
namespace {

constexpr auto npos = std::string_view::npos;
constexpr std::string_view kStatusStart = "HTTP/1.";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t find_lf(std::string_view text, std::size_t from) {
  if (from >= text.size()) return npos;
  const auto* lf = static_cast<const char*>(std::memchr(text.data() + from, '\n', text.size() - from));
  return lf == nullptr ? npos : static_cast<std::size_t>(lf - text.data());
}

/// Whether `line` has the form of a status line.
bool is_status_line(std::string_view line) {
  if (line.size() < 12 || !line.starts_with(kStatusStart) || !is_digit(line[7]) || line[8] != ' ') return false;
  const auto rest = trim_blanks(line.substr(9));
  const bool number = rest.size() >= 3 && is_digit(rest[0]) && is_digit(rest[1]) && is_digit(rest[2]);
  return number && (rest.size() == 3 || rest[3] == ' ' || rest[3] == '\r');
}

enum class Verdict { yes, no, unknown };

/// Whether `text` could stand behind a status line: a field or an empty line.
Verdict continues_head(std::string_view text) {
  if (text.empty() || text == "\r") return Verdict::unknown;
  if (text.front() == '\n' || text.starts_with("\r\n")) return Verdict::yes;
  std::size_t name = 0;
  while (name < text.size() && is_token_char(text[name])) ++name;
  if (name == text.size()) return Verdict::unknown;
  return name > 0 && text[name] == ':' ? Verdict::yes : Verdict::no;
}

/// How much of the end of `text` could be the beginning of a status line.
std::size_t status_start_at_end(std::string_view text) {
  for (auto size = std::min(text.size(), kStatusStart.size() - 1); size > 0; --size) {
    if (text.ends_with(kStatusStart.substr(0, size))) return size;
  }
  return 0;
}

}  // namespace

ResponseReader::Options ResponseReader::for_function(LengthUnit unit) {
  Options options;
  options.stray_allowed = true;
  options.announced_body_always = true;
  options.chunk_lines = ChunkedDecoder::Leniency::bare_lf;
  options.unit = unit;
  return options;
}

void ResponseReader::start(const Options& options) {
  options_ = options;
  remaining_ = 0;
  searched_ = 0;
  state_ = State::seek;
  mid_line_ = may_end_here_ = settled_ = false;
}

Result<ResponseReader::Step> ResponseReader::next(std::string_view& input) {
  may_end_here_ = false;
  switch (state_) {
    case State::seek:
      return seek(input);
    case State::head:
      return read_head(input);
    case State::sized:
      return read_sized(input);
    case State::counted:
      return read_counted(input);
    case State::chunked:
      return read_chunked(input);
    case State::until_eof: {
      const auto piece = input;
      input = {};
      return Step{piece.empty() ? Part::need_more : Part::body, piece};
    }
    case State::end:
    case State::ended:
      state_ = State::ended;
      return Step{Part::end, {}};
    case State::failed:
      break;
  }
  return Error(Errc::worker_protocol);
}

Result<ResponseReader::Step> ResponseReader::fail() {
  state_ = State::failed;
  return Error(Errc::worker_protocol);
}

/// Before the status line. One that starts its line is taken at its word, whatever follows.
Result<ResponseReader::Step> ResponseReader::seek(std::string_view& input) {
  if (!mid_line_) {
    if (input.starts_with(kStatusStart)) {
      state_ = State::head;
      return read_head(input);
    }
    if (kStatusStart.starts_with(input)) return Step{Part::need_more, {}};
    if (!options_.stray_allowed) return fail();
  }
  const auto lf = find_lf(input, searched_);
  if (lf != npos) return seek_in_line(input.substr(0, lf + 1), input);
  searched_ = input.size();
  return input.size() < options_.stray_limit ? Step{Part::need_more, {}} : long_stray(input);
}

/// A print without a line end leaves the status line behind other text. Access-log lines hold `HTTP/1.1` too, so here
/// the whole line must have the form, and a field or an empty line must follow.
Result<ResponseReader::Step> ResponseReader::seek_in_line(std::string_view line, std::string_view& input) {
  for (auto at = line.find(kStatusStart); at != npos; at = line.find(kStatusStart, at + 1)) {
    if (!is_status_line(line.substr(at, line.size() - 1 - at))) continue;
    const auto verdict = continues_head(input.substr(line.size()));
    if (verdict == Verdict::no) continue;
    if (verdict == Verdict::unknown && at == 0) {
      if (input.size() >= options_.stray_limit) continue;
      searched_ = line.size() - 1;
      return Step{Part::need_more, {}};
    }
    if (verdict == Verdict::yes) state_ = State::head;
    if (at == 0) return read_head(input);
    mid_line_ = true;
    return stray(input, at);
  }
  mid_line_ = false;
  return stray(input, line.size());
}

/// A line without end: all of it but what may be a status line that has just begun.
Result<ResponseReader::Step> ResponseReader::long_stray(std::string_view& input) {
  const auto start = input.rfind(kStatusStart);
  auto size = input.size();
  if (start == npos) {
    size -= status_start_at_end(input);
  } else if (start > 0) {
    size = start;
  }
  mid_line_ = true;
  return stray(input, size);
}

Result<ResponseReader::Step> ResponseReader::stray(std::string_view& input, std::size_t size) {
  const auto piece = input.substr(0, size);
  input.remove_prefix(size);
  searched_ = 0;
  return Step{Part::stray, piece};
}

Result<ResponseReader::Step> ResponseReader::read_head(std::string_view& input) {
  auto lf = find_lf(input, searched_);
  for (; lf != npos; lf = find_lf(input, searched_)) {
    searched_ = lf;  // looked at again if what follows is not there yet
    const auto rest = input.substr(lf + 1, 2);
    if (rest.empty() || rest == "\r") break;
    if (rest[0] == '\n' || rest == "\r\n") return take_head(input, lf + (rest[0] == '\n' ? 2 : 3));
    searched_ = lf + 1;
  }
  if (lf == npos) searched_ = input.size();
  return input.size() >= options_.head_limit ? fail() : Step{Part::need_more, {}};
}

Result<ResponseReader::Step> ResponseReader::take_head(std::string_view& input, std::size_t size) {
  if (size > options_.head_limit || head_.assign(input.substr(0, size))) return fail();
  input.remove_prefix(size);
  searched_ = 0;
  mid_line_ = false;
  const int status = head_.status();
  if (status == 101 && !options_.switching_allowed) return fail();
  if (status < 200 && status != 101) {
    state_ = State::seek;
    return Step{Part::interim, {}};
  }
  state_ = body_state();
  return state_ == State::failed ? fail() : Step{Part::head, {}};
}

/// How the body ends. RFC 9112 section 6.3, and what functions do.
ResponseReader::State ResponseReader::body_state() {
  const int status = head_.status();
  if (options_.bodiless_request || status == 101) return State::end;
  if (status == 204 || status == 304) {
    const bool announced = head_.chunked() || head_.content_length();
    if (!announced || !options_.announced_body_always) return State::end;
  }
  if (head_.chunked()) {
    chunks_ = ChunkedDecoder(options_.chunk_lines);
    return State::chunked;
  }
  if (!head_.content_length()) return options_.until_eof_allowed ? State::until_eof : State::failed;
  remaining_ = *head_.content_length();
  if (remaining_ == 0) return State::end;
  counter_ = UnitCounter(options_.unit);
  return options_.unit == LengthUnit::bytes ? State::sized : State::counted;
}

Result<ResponseReader::Step> ResponseReader::take_body(std::string_view& input, std::size_t size) {
  const auto piece = input.substr(0, size);
  input.remove_prefix(size);
  if (remaining_ == 0) state_ = State::end;
  return Step{Part::body, piece};
}

Result<ResponseReader::Step> ResponseReader::read_sized(std::string_view& input) {
  if (input.empty()) return Step{Part::need_more, {}};
  return take_body(input, counter_.take(input, remaining_));
}

/// Sequences are taken whole, so that the end of the body is exact however the bytes come.
Result<ResponseReader::Step> ResponseReader::read_counted(std::string_view& input) {
  auto size = counter_.take_whole(input, remaining_);
  const auto held = input.size();  // if nothing was taken: an unfinished sequence
  if (size == 0 && held > 0 && settled_) {
    size = static_cast<std::size_t>(std::min<std::uint64_t>(held, remaining_));
    remaining_ -= size;
  }
  if (size > 0) return take_body(input, size);
  may_end_here_ = held > 0 && remaining_ <= held;
  return Step{Part::need_more, {}};
}

Result<ResponseReader::Step> ResponseReader::read_chunked(std::string_view& input) {
  const auto piece = chunks_.next(input);
  if (!piece) return fail();
  if (!piece->empty()) return Step{Part::body, *piece};
  if (!chunks_.done()) return Step{Part::need_more, {}};
  state_ = State::ended;
  return Step{Part::end, {}};
}

std::optional<std::uint64_t> ResponseReader::body_remaining() const {
  if (state_ == State::sized || state_ == State::counted) return remaining_;
  if (ended() && head_.content_length()) return 0;
  return {};
}

Error ResponseReader::at_eof() {
  if (state_ == State::failed) return Errc::worker_protocol;
  if (state_ == State::until_eof) state_ = State::end;
  return ended() ? Error{} : Error(Errc::worker_died);
}

}  // namespace fwd
