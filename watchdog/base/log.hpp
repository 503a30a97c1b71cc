#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

namespace fwd {

/// Which of a function's streams a line came from.
enum class FunctionStream { standard_output, standard_error };

/// What the watchdog and its functions say. The watchdog's own lines go to stderr as `2006/01/02 15:04:05 text`;
/// a function's lines go to the stream they came from. Never blocks: see LogQueue.
/// Source: watchdog-contract 1.9.
class Log {
 public:
  /// `error_fd` and `output_fd` stay open while this lives.
  Log(int error_fd, int output_fd);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  /// One line of the watchdog's own, without its newline. Control bytes in it are the caller's matter: see escaped().
  void say(std::string_view text);

  /// One line of a function's, without its newline: prefixed with the time and the stream's name, or bare.
  void relay(FunctionStream stream, std::string_view text);
  void relay_bare(FunctionStream stream, std::string_view text);

  /// Lines that were lost because nobody read them.
  std::uint64_t dropped() const;

 private:
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace fwd
