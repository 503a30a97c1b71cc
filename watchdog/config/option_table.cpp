#include "watchdog/config/option_table.hpp"

#include "watchdog/config/option_choices.hpp"
#include "watchdog/config/option_readers.hpp"

namespace fwd {
namespace {

constexpr std::size_t kLongestHead = 64 * 1024;  // what one connection holds of its input
constexpr std::int64_t kMostWorkers = 1024;      // each has pipes or a connection, and a process of its own

using Text = std::string_view;

// clang-format off: one option, two to four lines
constexpr Option kOptions[] = {
    {Group::function, "mode", "", Kind::choice, "streaming",
     "How the function is asked: afterburn, http, streaming, serializing, classic; or static: files and no function",
     [](Config& c, Text t) { return read_mode(c.mode, t); }},
    {Group::function, "function_process", "fprocess", Kind::text, "",
     "The function's command, split with a shell's quoting, or a JSON array of strings; a command after `--` is used "
     "instead",
     [](Config& c, Text t) { return read_text(c.fprocess, t); }},
    {Group::function, "exec_timeout", "", Kind::duration, "30s",
     "Limit for the function, from the moment it has the request; 0 or less is none, as is the default in classic",
     [](Config& c, Text t) { return read_duration(c.exec_timeout, t, Sign::any); }},
    {Group::function, "cancel_on_disconnect", "", Kind::boolean, "true",
     "End the work for a client that is gone: kill its child, cut its upstream request",
     [](Config& c, Text t) { return read_flag(c.cancel_on_disconnect, t, OldBoolean::never); }},
    {Group::function, "one_shot", "", Kind::boolean, "false", "Serve one request, then drain and end",
     [](Config& c, Text t) { return read_flag(c.one_shot, t, OldBoolean::never); }},

    {Group::per_request, "content_type", "", Kind::text, "application/octet-stream",
     "Content-Type of every answer; left alone in classic: that of the request",
     [](Config& c, Text t) { return read_field_value(c.content_type, t); }},
    {Group::per_request, "max_children", "", Kind::count, "0",
     "Children at one time; more requests wait; 0 is no limit",
     [](Config& c, Text t) { return read_count(c.max_children, t, {}); }},
    {Group::per_request, "prefork", "", Kind::count, "0",
     "Children that are started before their request; needs cgi_headers=false",
     [](Config& c, Text t) { return read_count(c.prefork, t, {.most = kMostWorkers}); }},
    {Group::per_request, "cgi_headers", "", Kind::boolean, "true",
     "Variables in the child's environment for the request: Http_Method, Http_Path, one for each field",
     [](Config& c, Text t) { return read_flag(c.cgi_headers, t, OldBoolean::only_true); }},
    {Group::per_request, "cgi_vars", "", Kind::choice, "openfaas",
     "Which variables: openfaas, or those of CGI: rfc3875",
     [](Config& c, Text t) { return read_cgi_vars(c.cgi_vars, t); }},
    {Group::per_request, "cgi_response", "", Kind::boolean, "false",
     "The child's output begins with fields and an empty line, as a CGI program's does; Status: sets the status",
     [](Config& c, Text t) { return read_flag(c.cgi_response, t, OldBoolean::never); }},

    {Group::classic, "marshal_request", "marshal_requests", Kind::boolean, "false",
     "The child's stdin is a JSON object of the request's header and body",
     [](Config& c, Text t) { return read_flag(c.marshal_request, t, OldBoolean::only_true); }},
    {Group::classic, "combine_output", "", Kind::boolean, "true",
     "The child's stderr is part of the answer; if not, it is logged",
     [](Config& c, Text t) { return read_flag(c.combine_output, t, OldBoolean::only_true); }},
    {Group::classic, "write_debug", "", Kind::boolean, "false", "Log each request's query, path and output",
     [](Config& c, Text t) { return read_flag(c.write_debug, t, OldBoolean::only_true); }},
    {Group::classic, "debug_headers", "", Kind::boolean, "false", "Log the fields of each request and answer",
     [](Config& c, Text t) { return read_flag(c.debug_headers, t, OldBoolean::only_true); }},

    {Group::http, "http_upstream_url", "upstream_url", Kind::text, "",
     "Where the function listens, as in http://127.0.0.1:5000 or unix:/tmp/function.sock; required; {port} and "
     "{socket} stand for a place of each process's own, also in the command",
     [](Config& c, Text t) { return read_text(c.upstream_url, t); }},
    {Group::http, "upstream_timeout", "", Kind::text, "",
     "Limits by phase, any of connect=5s,first_byte=10s,idle=30s,total=1m; a duration alone is total",
     [](Config& c, Text t) { return read_upstream_timeouts(c.upstream_timeout, t); }},
    {Group::http, "http_buffer_req_body", "", Kind::boolean, "false",
     "Read a body of unknown length to its end first, so that the function gets a Content-Length",
     [](Config& c, Text t) { return read_flag(c.http_buffer_req_body, t, OldBoolean::true_or_1); }},
    {Group::http, "buffer_http", "", Kind::boolean, "false",
     "The same under its first name; one that is true is enough",
     [](Config& c, Text t) { return read_flag(c.buffer_http, t, OldBoolean::true_or_1); }},
    {Group::http, "http_workers", "", Kind::count, "1",
     "Processes of the function; more than one need {port} or {socket}",
     [](Config& c, Text t) { return read_count(c.http_workers, t, {.least = 1, .most = kMostWorkers}); }},
    {Group::http, "on_function_exit", "", Kind::choice, "restart",
     "What follows when the function ends by itself: restart it, or exit",
     [](Config& c, Text t) { return read_function_exit(c.on_function_exit, t); }},
    {Group::http, "tunnel_idle_timeout", "", Kind::duration, "1h",
     "How long an upgraded connection (WebSocket) may be silent both ways; 0 is no limit",
     [](Config& c, Text t) { return read_duration(c.tunnel_idle_timeout, t, Sign::not_negative); }},
    {Group::http, "tunnel_timeout", "", Kind::duration, "0", "How long an upgraded connection may last; 0 is no limit",
     [](Config& c, Text t) { return read_duration(c.tunnel_timeout, t, Sign::not_negative); }},

    {Group::afterburn, "afterburn_workers", "", Kind::count, "auto",
     "Processes of the function; auto is one a core; left alone with afterburn or fast_fork: 1",
     [](Config& c, Text t) { return read_workers(c.afterburn_workers, t); }},
    {Group::afterburn, "afterburn_pipeline", "", Kind::count, "1",
     "Requests that one worker has at one time, 1 to 64; it answers them in their order",
     [](Config& c, Text t) { return read_count(c.afterburn_pipeline, t, {.least = 1, .most = 64}); }},
    {Group::afterburn, "afterburn_units", "", Kind::choice, "auto",
     "What the function's Content-Length counts: bytes, codepoints, utf16; auto goes by the program with afterburn or "
     "fast_fork, else bytes",
     [](Config& c, Text t) { return read_units(c.afterburn_units, t); }},
    {Group::afterburn, "afterburn_stray", "", Kind::choice, "replace",
     "What a worker that wrote outside an answer gets: replace, or only a log line: log",
     [](Config& c, Text t) { return read_stray(c.afterburn_stray, t); }},
    {Group::afterburn, "afterburn_methods", "", Kind::text, "",
     "Methods that reach the function, as in GET,POST; others are answered 405; empty is all",
     [](Config& c, Text t) { return read_methods(c.afterburn_methods, t); }},
    {Group::afterburn, "response_fd", "", Kind::count, "0",
     "3: the function answers on descriptor 3 and its stdout is a log",
     [](Config& c, Text t) { return read_response_fd(c.response_fd, t); }},
    {Group::afterburn, "max_requests", "", Kind::count, "0",
     "Replace a worker after so many requests, each at 90 to 100 % of it; 0 is never",
     [](Config& c, Text t) { return read_count(c.max_requests, t, {}); }},
    {Group::afterburn, "max_lifetime", "", Kind::duration, "0",
     "Replace a worker of this age, between two requests; 0 is never",
     [](Config& c, Text t) { return read_duration(c.max_lifetime, t, Sign::not_negative); }},
    {Group::afterburn, "max_rss", "", Kind::size, "0",
     "Replace a worker whose resident memory is over it, between two requests; 0 is never",
     [](Config& c, Text t) { return read_size(c.max_rss_bytes, t, 0); }},
    {Group::afterburn, "afterburn", "", Kind::text, "",
     "Any text: an old image; selects mode afterburn when mode is unset",
     [](Config& c, Text t) { return read_text(c.afterburn, t); }},
    {Group::afterburn, "fast_fork", "", Kind::text, "", "The same under its first name",
     [](Config& c, Text t) { return read_text(c.fast_fork, t); }},

    {Group::workers, "max_queue", "", Kind::count, "1024",
     "Requests that wait for a worker or child; more are answered 429",
     [](Config& c, Text t) { return read_count(c.max_queue, t, {}); }},
    {Group::workers, "max_queue_wait", "", Kind::duration, "10s",
     "How long a request may wait there before it is answered 429; 0 is no limit of its own",
     [](Config& c, Text t) { return read_duration(c.max_queue_wait, t, Sign::not_negative); }},

    {Group::static_files, "static_path", "", Kind::text, "/home/app/public", "Folder of the files; must not be empty",
     [](Config& c, Text t) { return read_text(c.static_path, t); }, Place::everywhere, EmptyText::counts},
    {Group::static_files, "static_archive", "", Kind::text, "",
     "An uncompressed tar file to serve instead of the folder",
     [](Config& c, Text t) { return read_text(c.static_archive, t); }},
    {Group::static_files, "static_listing", "", Kind::boolean, "false", "List folders that have no index.html",
     [](Config& c, Text t) { return read_flag(c.static_listing, t, OldBoolean::never); }},
    {Group::static_files, "cache_control", "", Kind::text, "", "Cache-Control of every file",
     [](Config& c, Text t) { return read_field_value(c.cache_control, t); }},

    {Group::listener, "bind_address", "", Kind::text, "", "IPv4 or IPv6 address to listen on; empty is every address",
     [](Config& c, Text t) { return read_address(c.bind_address, t); }},
    {Group::listener, "port", "", Kind::count, "8080",
     "Port of the listener; 0 takes any free one and logs it; left alone: PORT of the environment, if there is one",
     [](Config& c, Text t) { return read_port(c.port, t); }},
    {Group::listener, "read_timeout", "", Kind::duration, "30s",
     "Limit for reading a request, head and body; 0 is none",
     [](Config& c, Text t) { return read_duration(c.read_timeout, t, Sign::any); }},
    {Group::listener, "write_timeout", "", Kind::duration, "30s",
     "Limit for a whole request, the wait for a worker included, answered with 504 half a second before; over 0, but "
     "in classic 0 is none",
     [](Config& c, Text t) { return read_duration(c.write_timeout, t, Sign::any); }},
    {Group::listener, "keepalive_timeout", "", Kind::duration, "as read_timeout",
     "How long a connection may be idle between requests; 0 is no limit",
     [](Config& c, Text t) { return read_duration(c.keepalive_timeout, t, Sign::not_negative); }},
    {Group::listener, "max_inflight", "", Kind::count, "0",
     "Requests at one time, those that wait included; more are answered 429; 0 is no limit",
     [](Config& c, Text t) { return read_max_inflight(c.max_inflight, t); }},
    {Group::listener, "max_connections", "", Kind::count, "80 % of RLIMIT_NOFILE", "Open client connections",
     [](Config& c, Text t) { return read_count(c.max_connections, t, {.least = 1}); }},
    {Group::listener, "max_head_bytes", "", Kind::size, "32Ki",
     "Request line and header fields; longer is answered 431",
     [](Config& c, Text t) { return read_size(c.max_head_bytes, t, 1024, kLongestHead); }},
    {Group::listener, "max_body", "", Kind::size, "0", "Request body; longer is answered 413; 0 is no limit",
     [](Config& c, Text t) { return read_size(c.max_body_bytes, t, 0); }},
    {Group::listener, "body_memory", "", Kind::size, "1Mi",
     "How much of one request body is held in memory; the rest goes to an unlinked file",
     [](Config& c, Text t) { return read_size(c.body_memory_bytes, t, 0); }},
    {Group::listener, "duration_header", "", Kind::boolean, "by mode",
     "Send X-Duration-Seconds; left alone, serializing, http and classic do, the others do not",
     [](Config& c, Text t) { return read_flag(c.duration_header, t, OldBoolean::never); }},

    {Group::end, "ready_path", "", Kind::text, "",
     "Target with which /_/ready asks the function, and passes its answer on; empty: it does not ask",
     [](Config& c, Text t) { return read_path(c.ready_path, t, Query::yes); }},
    {Group::end, "suppress_lock", "", Kind::boolean, "false", "Write no lock file",
     [](Config& c, Text t) { return read_flag(c.suppress_lock, t, OldBoolean::true_or_1); }},
    {Group::end, "healthcheck_interval", "", Kind::duration, "write_timeout within Kubernetes, else 0",
     "How long requests are still accepted after SIGTERM, while health and readiness say 503; left alone with "
     "K_SERVICE (Knative, Cloud Run): 0",
     [](Config& c, Text t) { return read_duration(c.healthcheck_interval, t, Sign::any); }},
    {Group::end, "shutdown_timeout", "", Kind::duration, "interval + write_timeout",
     "How long the whole end may take, over 0, with K_SERVICE at most 10s; healthcheck_interval gets half of it at "
     "most",
     [](Config& c, Text t) { return read_duration(c.shutdown_timeout, t, Sign::positive); }},

    {Group::metrics, "metrics_port", "", Kind::count, "8081",
     "Port of the metrics; 0 is off; equal to port: one listener for both; left alone and in the way: off",
     [](Config& c, Text t) {
       std::uint16_t port = 0;
       Reading reading = read_port(port, t);
       if (reading.problem.empty()) c.metrics_port = port;
       return reading;
     }},
    {Group::metrics, "metrics_path", "", Kind::text, "/metrics", "Path of the metrics",
     [](Config& c, Text t) { return read_path(c.metrics_path, t, Query::no); }},

    {Group::log, "log_format", "", Kind::choice, "text", "How lines of the log look: text, json, logfmt",
     [](Config& c, Text t) { return read_log_format(c.log_format, t); }},
    {Group::log, "access_log", "", Kind::choice, "all", "Which requests get a line: all, errors, none",
     [](Config& c, Text t) { return read_access_logged(c.access_log, t); }},
    {Group::log, "log_callid", "log_call_id", Kind::boolean, "false",
     "The X-Call-Id at the end of each request's log line",
     [](Config& c, Text t) { return read_flag(c.log_callid, t, OldBoolean::go_else_false); }},
    {Group::log, "trace_context", "", Kind::boolean, "false",
     "W3C traceparent: pass it on, make one where there is none, log its ids",
     [](Config& c, Text t) { return read_flag(c.trace_context, t, OldBoolean::never); }},
    {Group::log, "prefix_logs", "", Kind::boolean, "true", "Date and stream before each line of the function's output",
     [](Config& c, Text t) { return read_flag(c.prefix_logs, t, OldBoolean::go_else_true); }},
    {Group::log, "log_buffer_size", "", Kind::size, "64Ki",
     "Longest line of the function's output that is logged in one piece; negative: 1 MiB",
     [](Config& c, Text t) { return read_log_buffer(c.log_buffer_bytes, t); }},
    {Group::log, "config", "", Kind::text, "", "YAML file with any of these options but this; none is read by default",
     [](Config&, Text) { return Reading{}; }, Place::flag_only},
};
// clang-format on

}  // namespace

std::span<const Option> option_table() {
  return kOptions;
}

}  // namespace fwd
