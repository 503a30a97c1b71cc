#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace fwd {

/// How lines of the log are written.
enum class LogFormat { text, json, logfmt };

/// One line of named values, built one after the other: `{"time":"…","level":"info"}` or `time=… level=info`.
/// Whatever the texts hold, the result is one line, and no text can add a value that was not asked for. Reuse one
/// object: nothing is allocated once it is warm.
/// Source: RFC 8259 for JSON; logfmt as Go's go-logfmt writes it.
class LogLine {
 public:
  /// `format` is not text: that has no names.
  explicit LogLine(LogFormat format) : json_(format == LogFormat::json) {}

  /// Begins a new line, with `time` as RFC 3339 writes it: UTC, to the millisecond.
  void begin(std::chrono::system_clock::time_point now);

  void text(std::string_view name, std::string_view value);
  void number(std::string_view name, std::uint64_t value);
  /// In seconds, to the microsecond; what is negative counts as zero.
  void seconds(std::string_view name, std::chrono::nanoseconds value);

  /// The line with its newline; valid until the next begin().
  std::string_view end();

 private:
  void begin_value(std::string_view name);

  bool json_;
  std::string line_;
};

/// Appends `text` as it may stand between the quotes of a JSON string: control bytes, and the characters that some
/// readers take for a line's end, as \u00NN or \u202N; what is no UTF-8 as \ufffd, one for each byte.
void append_json_escaped(std::string& out, std::string_view text);

/// `2026-12-01T00:04:08.123Z`.
void append_utc(std::string& out, std::chrono::system_clock::time_point moment);

}  // namespace fwd
