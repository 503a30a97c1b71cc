#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace fwd {

/// Where a request stands in a distributed trace: what the `traceparent` field says. A plain value.
/// Source: W3C Trace Context, levels 1 and 2.
class TraceContext {
 public:
  static constexpr std::size_t kLength = 55;  // `00-<32 hex digits>-<16 hex digits>-<2 hex digits>`

  /// Ours, to be sent on: goes on with the trace of the client's field, as a new span, or begins a trace where there is
  /// no field or none that parse() takes. A client's tracestate belongs to it only if continues(field).
  static TraceContext from(std::optional<std::string_view> field);

  /// The client's own. Of a later version than 00, the part that this version knows.
  /// Errors: nothing for version ff, a trace or parent id of zeros, capital digits, or any other shape.
  static std::optional<TraceContext> parse(std::string_view field);

  /// As version 00. The view lives as long as this object.
  std::string_view traceparent() const { return {text_.data(), text_.size()}; }
  /// 32 hex digits, for logs. The view lives as long as this object.
  std::string_view trace_id() const { return traceparent().substr(3, 32); }
  /// 16 hex digits.
  std::string_view parent_id() const { return traceparent().substr(36, 16); }
  /// True if `field` is of the same trace. Where it is not, its tracestate must not be sent on.
  bool continues(std::optional<std::string_view> field) const;

 private:
  TraceContext() = default;

  std::array<char, kLength> text_{};
};

}  // namespace fwd
