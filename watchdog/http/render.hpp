#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "watchdog/http/request_head.hpp"

namespace fwd {

/// The head for a function that reads requests from its stdin; `out` is cleared first.
///
/// `METHOD target HTTP/1.1` with the target in origin form and HEAD sent as GET; Host first (it may be empty); one
/// exact `Content-Length`, 0 too; then the other fields in the order received, one line each, names in canonical
/// spelling. Left out: hop-by-hop fields and those that Connection names, Expect, the client's own Content-Length.
///
/// A `traceparent` that is not empty is sent last, instead of the client's; the client's tracestate only goes with it if
/// both are of one trace.
///
/// Units:  `content_length` in whatever the function counts (see LengthUnit).
/// Source: reference/afterburn.md 3.2, 3.3 and 3.4 rows 3, 10 and 21; W3C Trace Context for the trace.
void render_function_request(const RequestHead& head, std::uint64_t content_length, std::string& out,
                             std::string_view traceparent = {});

/// True if the client's field `name` must not go with `traceparent`: its own traceparent, which that replaces, and its
/// tracestate unless both are of one trace.
/// Source: W3C Trace Context.
bool is_of_another_trace(const RequestHead& head, std::string_view name, std::string_view traceparent);

/// Writes the head of an answer behind what `out` holds already. Names and values are taken as they are: they come from
/// a parsed head or from ourselves, so they hold no line ends. The order is the caller's; Date belongs first.
class HeadWriter {
 public:
  explicit HeadWriter(std::string& out) : out_(out) {}

  /// The status line, always HTTP/1.1. `status` has three digits; an empty `reason` means the standard one.
  void status(int status, std::string_view reason = {});
  void field(std::string_view name, std::string_view value);
  void field(std::string_view name, std::uint64_t value);
  /// The empty line.
  void end();

 private:
  std::string& out_;
};

/// Appends `number` in decimal.
void append_number(std::string& out, std::uint64_t number);

}  // namespace fwd
