#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "watchdog/base/error.hpp"
#include "watchdog/http/field.hpp"
#include "watchdog/http/request_check.hpp"
#include "watchdog/http/request_scan.hpp"
#include "watchdog/http/request_target.hpp"

namespace fwd {

/// The head of a client's request, checked. It owns its bytes: reuse one object for every request of a connection and
/// nothing is allocated once it is warm. Views are valid until the next assign(). Neither copied nor moved.
class RequestHead {
 public:
  RequestHead() = default;
  RequestHead(const RequestHead&) = delete;
  RequestHead& operator=(const RequestHead&) = delete;

  /// Takes one complete head, the final empty line included, and checks everything that list V asks for.
  /// Errors: malformed_request, unsupported_coding, unsupported_version, unsupported_method, expectation_failed,
  ///         head_too_large, target_too_long. After an error the contents are unspecified, except that method() and
  ///         target() are what could be read (for a log line), and keep_alive() is false.
  /// Source: RFC 9112; list V of reference/reliability.md 6.1.
  Error assign(std::string_view bytes, const RequestLimits& limits);

  std::string_view method() const { return line_.method; }
  /// As received.
  std::string_view target() const { return line_.target; }
  /// Origin form (`/x?y`), also of an absolute-form target; `*` for `OPTIONS *`.
  std::string_view path_and_query() const { return parts_.path_and_query; }
  /// Raw, undecoded.
  std::string_view path() const { return parts_.path; }
  /// Raw, undecoded, without '?'; empty if there is none.
  std::string_view query() const { return parts_.query; }
  /// Of an absolute-form target, else of the Host field; may be empty.
  std::string_view host() const { return parts_.authority.empty() ? framing_.host : parts_.authority; }
  /// 0 or 1; a later 1.x counts as 1.
  int minor_version() const { return minor_version_; }

  /// Whether the client wants the connection to last, by version and by every token of every Connection line.
  bool keep_alive() const { return keep_alive_; }
  /// HTTP/1.0 with `Connection: keep-alive`: such a client wants to read `Connection: keep-alive` in the answer.
  bool asks_keep_alive_1_0() const { return minor_version_ == 0 && keep_alive_; }
  /// `Expect: 100-continue` in HTTP/1.1. Answer it only if has_body() and no byte of the body has come yet.
  bool expects_continue() const { return framing_.expects_continue; }
  bool chunked() const { return framing_.chunked; }
  std::optional<std::uint64_t> content_length() const { return framing_.content_length; }
  /// Chunked, or a length above 0.
  bool has_body() const { return framing_.chunked || framing_.content_length.value_or(0) > 0; }

  /// In the order received.
  std::span<const Field> fields() const { return fields_; }
  /// The first value of `name`.
  std::optional<std::string_view> find(std::string_view name) const;
  /// True if Connection names other fields, which then are for this connection only.
  bool connection_names_fields() const { return framing_.connection_names_fields; }
  /// True if `name` is not to be passed on: hop-by-hop by itself, or named in a Connection line.
  bool is_for_this_hop(std::string_view name) const;

 private:
  Error parse(const RequestLimits& limits);

  std::string bytes_;
  std::string spare_;  // the origin form, where the target does not hold it
  std::vector<Field> fields_;
  RequestLine line_;
  RequestTarget parts_;
  RequestFraming framing_;
  int minor_version_ = 1;
  bool keep_alive_ = false;
};

}  // namespace fwd
