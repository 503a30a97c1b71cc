#pragma once

#include <cstddef>
#include <string_view>

namespace fwd {

/// More than this is never looked at.
inline constexpr std::size_t kSniffBytes = 512;

/// The Content-Type of a body by its first bytes: exactly what Go's http.DetectContentType says. Never empty.
/// Source: WHATWG MIME Sniffing; Go 1.19 net/http/sniff.go for the order of the signatures.
std::string_view sniff_content_type(std::string_view first_bytes);

}  // namespace fwd
