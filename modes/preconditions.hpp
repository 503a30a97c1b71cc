#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "watchdog/http/request_head.hpp"

namespace fwd {

/// What tells one state of a file from another.
struct Validators {
  std::string_view etag;                 // strong, with its quotes
  std::optional<std::int64_t> modified;  // seconds since 1970; nothing: not known
};

enum class Precondition {
  holds,         // answer as if there were none
  not_modified,  // 304: the client has this state already
  failed,        // 412: the client meant another state
};

/// Checks If-Match or else If-Unmodified-Since, then If-None-Match or else If-Modified-Since, of a GET or HEAD for a
/// file that is there. Dates that cannot be read are ignored; tags that cannot be read match nothing.
/// Source: RFC 9110 section 13.2.2.
Precondition check_preconditions(const RequestHead& request, const Validators& file);

/// False if If-Range names another state of the file: then Range does not count. True without If-Range.
/// Source: RFC 9110 section 13.1.5.
bool range_counts(const RequestHead& request, const Validators& file);

}  // namespace fwd
