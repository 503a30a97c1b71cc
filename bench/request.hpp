#pragma once

#include <string>
#include <vector>

#include "bench/url.hpp"

namespace fwd::bench {

enum class HttpVersion { http_10, http_11 };

/// What the bytes of a request are made of; filled from the options.
struct RequestParts {
  HttpVersion version = HttpVersion::http_10;
  std::string method = "GET";
  bool keep_alive = false;
  bool has_body = false;
  std::string body;
  std::string content_type = "text/plain";
  std::string cookie;                       // empty = none
  std::vector<std::string> authorizations;  // `user:password`, encoded here
  std::vector<std::string> fields;          // whole lines, as given by -H
  bool keep_duplicates = false;             // ab sends its own Content-type beside a user's; so does --ab
};

/// The bytes that are sent for every request: head and body.
/// HTTP/1.0 is ab's request, byte for byte; HTTP/1.1 has our own User-Agent and says `Connection: close` unless kept
/// alive. Source: load-generators 1.1 "Request bytes"; captured from ab 2.3 (tests/unit/bench/request_test.cpp).
std::string render_request(const RequestParts& parts, const Url& url);

/// RFC 4648 section 4, with padding.
std::string to_base64(std::string_view bytes);

}  // namespace fwd::bench
