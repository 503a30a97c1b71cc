#pragma once

#include <array>
#include <string_view>

#include "watchdog/http/request_head.hpp"

namespace fwd {

/// In what form a file is sent.
enum class ContentCoding { identity, brotli, gzip };

/// How `coding` is called in Content-Encoding; empty for identity.
std::string_view name_of(ContentCoding coding);

/// What a file with this coding has behind its name: `.br`, `.gz`, or nothing.
std::string_view suffix_of(ContentCoding coding);

/// The codings that the client prefers to the file as it is, the best first.
struct WantedCodings {
  std::array<ContentCoding, 2> codings{};
  std::size_t count = 0;

  const ContentCoding* begin() const { return codings.data(); }
  const ContentCoding* end() const { return codings.data() + count; }
};

/// Reads every Accept-Encoding line. With equal weights brotli goes before gzip, and both before identity; a client
/// that refuses everything gets the file as it is.
/// Source: RFC 9110 section 12.5.3.
WantedCodings wanted_codings(const RequestHead& request);

}  // namespace fwd
