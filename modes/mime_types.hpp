#pragma once

#include <string_view>

namespace fwd {

/// What the name of a file says of its contents.
struct MimeType {
  std::string_view type{};    // for Content-Type; empty: the name says nothing
  bool compressible = false;  // worth a compressed copy beside it
};

/// By the part of `name` behind its last dot, whatever the case; `name` may be a path. Text has `charset=utf-8`, as
/// with Go, which an old watchdog took its types from.
/// Source: IANA media types; Go's mime package.
MimeType mime_type_of(std::string_view name);

}  // namespace fwd
