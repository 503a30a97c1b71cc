#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "watchdog/base/log_line.hpp"

namespace fwd {

/// Which of a function's streams a line came from.
enum class FunctionStream { standard_output, standard_error };

/// What the watchdog and its functions say. The watchdog's own lines go to stderr as `2006/01/02 15:04:05 text`, or as
/// `{"time":…,"level":"info","msg":"text"}`; a function's lines go to the stream they came from. Never blocks: see
/// LogQueue.
/// Source: watchdog-contract 1.9.
class Log {
 public:
  /// `error_fd` and `output_fd` stay open while this lives.
  Log(int error_fd, int output_fd, LogFormat format = LogFormat::text);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  LogFormat format() const;

  /// One line of the watchdog's own, without its newline. In text format control bytes are the caller's matter: see
  /// append_escaped().
  void say(std::string_view text);

  /// One line of the watchdog's own that the caller has built for a format that is not text: LogLine::end().
  void put(std::string_view line);

  /// One line of a function's, without its newline: with the time, the stream's name and, in formats that are not text,
  /// the id of the call it belongs to, if that is known; or bare, as the function wrote it, whatever the format.
  void relay(FunctionStream stream, std::string_view text, std::string_view call_id = {});
  void relay_bare(FunctionStream stream, std::string_view text);

  /// Lines that were lost because nobody read them.
  std::uint64_t dropped() const;

 private:
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace fwd
