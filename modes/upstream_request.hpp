#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "watchdog/http/request_head.hpp"

namespace fwd {

/// What the head for an upstream holds besides the client's own.
struct UpstreamRequest {
  std::string_view prefix;               // stands before the target
  std::string_view authority;            // Host, where the client named none
  std::string_view client_address;       // goes to the end of X-Forwarded-For
  std::string_view traceparent;          // takes the place of the client's; empty: that is passed on
  std::optional<std::uint64_t> length;   // of a body that was read before; none: as the client framed it
  bool upgrade = false;                  // Connection: upgrade and the client's Upgrade go on
};

/// The head for a function that is an HTTP server; `out` is cleared first.
///
/// Method and target as received, the target in origin form; Host is the client's, else the
/// function's own; every end-to-end field in its order
/// and spelling; one framing field of ours, or none where the client had none; X-Forwarded-For, and X-Forwarded-Host and
/// -Proto unless they are there. Left out: hop-by-hop fields and those that Connection names, Expect. Nothing is added
/// that a function could take for the client's wish (User-Agent, Accept-Encoding).
/// Source: RFC 9110 section 7.6; reference/reliability.md section 5, "smuggling"; watchdog-contract 1.6, http.
void render_upstream_request(const RequestHead& head, const UpstreamRequest& extras, std::string& out);

/// The client asks for another protocol in a way that can be passed on: HTTP/1.1, no body.
/// Source: RFC 9110 section 7.8.
bool asks_for_upgrade(const RequestHead& head);

/// A request that may be sent again after a connection was lost before the first byte of its answer: by its method, or
/// because the client says so (Idempotency-Key).
/// Source: RFC 9110 section 9.2.1; draft-ietf-httpapi-idempotency-key-header.
bool may_be_repeated(const RequestHead& head);

}  // namespace fwd
