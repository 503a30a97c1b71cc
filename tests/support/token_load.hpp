#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fwd::test {

/// What the bodies are made of. `binary` is any bytes, but never ends inside a UTF-8 sequence.
enum class Content { ascii, e_acute, euro, emoji, binary };

inline const std::vector<Content> kTextContents = {Content::ascii, Content::e_acute, Content::euro, Content::emoji};
inline const std::vector<Content> kAllContents = {Content::ascii, Content::e_acute, Content::euro, Content::emoji,
                                                  Content::binary};

/// A load of POST requests, each with a token of its own in its body.
/// Sizes: 90 % up to 4 KiB; 9 % up to 128 KiB, half of them the sizes at which old functions fail; 1 % up to 5 MB.
/// Connections: keep-alive, some requests chunked; a quarter each ends its connection, or is HTTP/1.0.
struct TokenLoad {
  std::uint16_t port = 0;
  std::size_t requests = 500;
  std::size_t concurrency = 20;
  std::uint64_t seed = 1;  ///< the same seed makes the same requests, whatever the order in which they are sent
  std::vector<Content> contents = kAllContents;
  std::string target = "/";
  std::function<std::string(std::string body)> expected = {};  ///< the right answer to a body; unset: the body itself
  std::chrono::milliseconds timeout{60'000};                   ///< of one read or write of a socket
};

/// What came of it.
struct TokenLoadResult {
  std::size_t right = 0;
  std::map<std::string, std::size_t> failures;  ///< by kind
  std::vector<std::string> details;             ///< of the first few failures

  std::size_t failed() const;
  std::string summary() const;
};

/// Sends all of it and compares every answer byte by byte.
TokenLoadResult run_token_load(const TokenLoad& load);

/// The body of request `index`.
std::string make_token_body(const TokenLoad& load, std::size_t index);

}  // namespace fwd::test
