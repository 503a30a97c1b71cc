#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "watchdog/base/log_line.hpp"
#include "watchdog/base/time.hpp"

namespace fwd {

/// Every mode of the contract, but for `inproc`, which only a Go program can be.
enum class ModeName { streaming, serializing, http, static_files, afterburn, classic };

/// What a function's Content-Length counts; `automatic` asks the program (modes/README.md, afterburn).
enum class AfterburnUnits { automatic, bytes, codepoints, utf16 };

/// What to do with a worker that wrote outside an answer.
enum class StrayOutput { replace, log };

/// What the names of a request's variables look like in a per-request child: `Http_Path` or, by RFC 3875, `PATH_INFO`.
enum class CgiVars { openfaas, rfc3875 };

/// What to do when the function of mode http ends by itself.
enum class FunctionExit { restart, exit };

/// Which requests get a line in the log; `errors` are those answered 4xx or 5xx, or cut.
enum class AccessLogged { all, errors, none };

/// Limits of one request to the upstream, by phase. None: no limit of its own. Always over zero.
struct UpstreamPhases {
  std::optional<nanoseconds> connect;
  std::optional<nanoseconds> first_byte;  // from the request's last byte to the answer's first
  std::optional<nanoseconds> idle;        // between two pieces of the answer
  std::optional<nanoseconds> total;       // of the whole

  bool operator==(const UpstreamPhases&) const = default;
};

/// Every setting of fwatchdog. A plain value: read_options() fills it, main() hands each object its share.
/// A default that hangs on another setting says so; after read_options() such a member holds the final value.
/// Source: watchdog-contract 1.2 for names and defaults of the old watchdogs.
struct Config {
  // The function.
  ModeName mode = ModeName::streaming;
  std::string fprocess;                    // one text, not split; Invocation::function_argv goes before it
  nanoseconds exec_timeout = seconds(30);  // zero or less: no limit. Left alone in classic: zero
  // Of per-request modes. Left alone: empty in classic, which echoes the request's.
  std::string content_type = "application/octet-stream";
  bool cancel_on_disconnect = true;  // the client is gone: its child is killed, its upstream request ended
  bool one_shot = false;             // serve one request, then drain and end

  // Children of one request each: streaming, serializing, classic.
  std::size_t max_children = 0;  // at one time; 0: no limit
  std::size_t prefork = 0;       // started before their request; not with cgi_headers
  bool cgi_headers = true;       // variables for the request
  CgiVars cgi_vars = CgiVars::openfaas;
  bool cgi_response = false;  // the output begins with fields, as a CGI program's does

  // Classic.
  bool marshal_request = false;  // stdin is JSON: header and body
  bool combine_output = true;    // stderr is part of the answer
  bool write_debug = false;
  bool debug_headers = false;

  // Http.
  std::string upstream_url;
  bool buffer_http = false;           // only how the next one is also called: true there if it is true here
  bool http_buffer_req_body = false;  // a body without a length is read to its end before it is sent on
  std::size_t http_workers = 1;
  FunctionExit on_function_exit = FunctionExit::restart;
  UpstreamPhases upstream_timeout;
  nanoseconds tunnel_idle_timeout = std::chrono::hours(1);  // no byte either way; zero: no limit
  nanoseconds tunnel_timeout{0};                            // of the whole tunnel; zero: no limit
  std::string ready_path;                                   // /_/ready asks the function with it; empty: it does not

  // Workers of afterburn and http: when one is replaced, between two requests. Zero: never.
  std::size_t max_requests = 0;  // each worker draws its own limit, 90 to 100 % of it
  nanoseconds max_lifetime{0};
  std::size_t max_rss_bytes = 0;

  // Static.
  std::string static_path = "/home/app/public";
  std::string static_archive;
  bool static_listing = false;
  std::string cache_control;

  // The listener and its clients.
  std::string bind_address;                     // an IPv4 or IPv6 address; empty: every address
  std::uint16_t port = 8080;                    // 0: any free one
  nanoseconds read_timeout = seconds(30);       // head and body; zero: no limit
  nanoseconds write_timeout = seconds(30);      // the whole request, queue included; zero: no limit, only in classic
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
  std::size_t afterburn_pipeline = 1;            // requests in flight per worker
  AfterburnUnits afterburn_units = AfterburnUnits::automatic;
  StrayOutput afterburn_stray = StrayOutput::replace;
  std::vector<std::string> afterburn_methods;  // upper case; others are answered 405. Empty: all
  std::size_t max_queue = 1024;                // requests that wait for a worker; 0: none waits
  nanoseconds max_queue_wait = seconds(10);    // zero: no limit but write_timeout
  int response_fd = 0;                         // 3: answers come from the child's descriptor 3. 0: from its stdout

  // Health, metrics, the end.
  std::optional<std::uint16_t> metrics_port;  // none: left alone, so kDefaultMetricsPort, off if in the way. 0: off
  std::string metrics_path = "/metrics";
  bool suppress_lock = false;
  std::string lock_directory = "/tmp";         // TMPDIR
  nanoseconds healthcheck_interval{0};         // left alone: write_timeout within Kubernetes, else 0
  nanoseconds shutdown_timeout = seconds(30);  // all of the end; left alone: interval and write_timeout

  // Logs.
  bool prefix_logs = true;
  std::size_t log_buffer_bytes = 64 * 1024;  // longest line of the function that is logged in one piece
  bool log_callid = false;
  LogFormat log_format = LogFormat::text;
  AccessLogged access_log = AccessLogged::all;
  bool trace_context = false;  // W3C traceparent: parsed, made where there is none, passed on, logged

  bool operator==(const Config&) const = default;

  /// Started as an image of the old templates: one worker, length units by program.
  bool is_old_image() const { return !afterburn.empty() || !fast_fork.empty(); }
};

inline constexpr std::uint16_t kDefaultMetricsPort = 8081;  // hard-wired in the old watchdogs

/// The text of the `mode` option: `streaming`, `static`, ...
const char* to_string(ModeName mode);

}  // namespace fwd
