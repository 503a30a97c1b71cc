#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "stdio_bytes.hpp"

/// One request as misbehave.cpp reads it; the body is read when it is asked for.
struct Request {
  std::string head;  ///< with its empty line
  std::string path;
  std::string query;
  std::size_t length = 0;
  stdio_bytes::Input* input = nullptr;

  std::string body() const { return input->take(length); }

  /// The number behind `name` in the query.
  std::size_t number(std::string_view name, std::size_t otherwise) const {
    const std::size_t at = query.find(std::string(name) + "=");
    return at == std::string::npos ? otherwise : std::stoul(query.substr(at + name.size() + 1));
  }
};

/// Reads a head into `request`; false at the end of the input.
inline bool read_request(stdio_bytes::Input& input, Request& request) {
  request = Request{};
  request.input = &input;
  while (!request.head.ends_with("\r\n\r\n")) {
    const int byte = input.next();
    if (byte < 0) return false;
    request.head += static_cast<char>(byte);
  }
  const std::size_t target = request.head.find(' ') + 1;
  request.path = request.head.substr(target, request.head.find(' ', target) - target);
  if (const std::size_t mark = request.path.find('?'); mark != std::string::npos) {
    request.query = request.path.substr(mark + 1);
    request.path.resize(mark);
  }
  constexpr std::string_view kName = "\r\nContent-Length: ";
  const std::size_t length = request.head.find(kName);
  if (length != std::string::npos) request.length = std::stoul(request.head.substr(length + kName.size()));
  return true;
}
