#include "modes/static_path.hpp"

#include <algorithm>

#include "watchdog/http/percent.hpp"

namespace fwd {
namespace {

constexpr std::string_view kWellKnown = ".well-known";

/// Appends one component, decoded.
PathKind decode_component(std::string_view raw, std::string& out) {
  const auto start = out.size();
  if (!append_percent_decoded(out, raw)) return PathKind::malformed;
  const bool served = out.find_first_of(std::string_view("\0\\/", 3), start) == std::string::npos;
  return served ? PathKind::file : PathKind::nothing;
}

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

}  // namespace

PathKind decode_path(std::string_view raw, std::string& out) {
  out.clear();
  if (!raw.starts_with('/')) return PathKind::nothing;
  const bool folder = raw.ends_with('/');
  PathKind kind = folder ? PathKind::folder : PathKind::file;
  while (!raw.empty()) {
    const auto end = std::min(raw.find('/'), raw.size());
    const std::string_view component = raw.substr(0, end);
    raw.remove_prefix(std::min(end + 1, raw.size()));
    if (component.empty()) continue;
    if (!out.empty()) out += '/';
    const auto start = out.size();
    const PathKind decoded = decode_component(component, out);
    if (decoded == PathKind::malformed) return decoded;  // before any 404, wherever it stands
    const bool hidden = out[start] == '.' && !(start == 0 && out == kWellKnown);
    if (hidden || decoded == PathKind::nothing) kind = PathKind::nothing;
  }
  return kind;
}

std::string take_component(std::string& rest) {
  const auto end = std::min(rest.find('/'), rest.size());
  std::string name = rest.substr(0, end);
  const auto next = rest.find_first_not_of('/', end);
  const bool ends_with_slash = next == std::string::npos && end < rest.size();
  rest = ends_with_slash ? "." : next == std::string::npos ? "" : rest.substr(next);
  return name;
}

void append_path_escaped(std::string& out, std::string_view name) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : name) {
    if (is_unreserved(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '%';
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
  }
}

}  // namespace fwd
