#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "watchdog/base/time.hpp"

namespace fwd {

/// Every mode that the contract names; main() refuses those that are not built yet.
enum class ModeName { streaming, serializing, http, static_files, inproc, afterburn, classic };

/// What a function's Content-Length counts; `automatic` asks the program (modes/README.md, afterburn).
enum class AfterburnUnits { automatic, bytes, codepoints, utf16 };

/// What to do with a worker that wrote outside an answer.
enum class StrayOutput { replace, log };

/// Every setting of fwatchdog. A plain value: read_options() fills it, main() hands each object its share.
/// A default that hangs on another setting says so; after read_options() such a member holds the final value.
/// Source: watchdog-contract 1.2 for names and defaults of the old watchdogs.
struct Config {
  // The function.
  ModeName mode = ModeName::streaming;
  std::string fprocess;                    // one text, not split; Invocation::function_argv goes before it
  nanoseconds exec_timeout = seconds(30);  // zero or less: no limit
  std::string content_type = "application/octet-stream";  // of one-shot modes

  // The listener and its clients.
  std::uint16_t port = 8080;                    // 0: any free one
  nanoseconds read_timeout = seconds(30);       // head and body; zero: no limit
  nanoseconds write_timeout = seconds(30);      // the whole request, queue included; always over zero
  nanoseconds keepalive_timeout = seconds(30);  // between requests; left alone: read_timeout; zero: no limit
  std::size_t max_connections = 819;            // left alone: 80 % of RLIMIT_NOFILE (819 of the usual 1024)
  std::size_t max_inflight = 0;                 // 0: no limit
  std::size_t max_head_bytes = 32 * 1024;       // request line and fields: four times what browsers and proxies send
  std::size_t max_body_bytes = 0;               // 0: no limit
  std::size_t body_memory_bytes = 1024 * 1024;  // of one body; what is longer goes to an unlinked file
  bool duration_header = false;                 // X-Duration-Seconds; left alone: on in serializing, http and classic

  // Afterburn.
  std::string afterburn;  // not empty: an image of the old templates; selects the mode when `mode` is unset
  std::string fast_fork;  // the same under its first name
  std::optional<std::size_t> afterburn_workers;  // none: one a core. Left alone in an old image: 1
  AfterburnUnits afterburn_units = AfterburnUnits::automatic;
  StrayOutput afterburn_stray = StrayOutput::replace;
  std::vector<std::string> afterburn_methods;  // upper case; others are answered 405. Empty: all
  std::size_t max_queue = 1024;                // requests that wait for a worker; 0: none waits
  nanoseconds max_queue_wait = seconds(10);    // zero: no limit but write_timeout
  int response_fd = 0;                         // 3: answers come from the child's descriptor 3. 0: from its stdout

  // Health, metrics, the end.
  std::optional<std::uint16_t> metrics_port;  // none: left alone, so kDefaultMetricsPort, off if in the way. 0: off
  bool suppress_lock = false;
  std::string lock_directory = "/tmp";         // TMPDIR
  nanoseconds healthcheck_interval{0};         // left alone: write_timeout within Kubernetes, else 0
  nanoseconds shutdown_timeout = seconds(30);  // all of the end; left alone: interval and write_timeout

  // Logs.
  bool prefix_logs = true;
  std::size_t log_buffer_bytes = 64 * 1024;  // longest line of the function that is logged in one piece
  bool log_callid = false;

  /// Started as an image of the old templates: one worker, length units by program.
  bool is_old_image() const { return !afterburn.empty() || !fast_fork.empty(); }
};

inline constexpr std::uint16_t kDefaultMetricsPort = 8081;  // hard-wired in the old watchdogs

/// The text of the `mode` option: `streaming`, `static`, ...
const char* to_string(ModeName mode);

}  // namespace fwd
