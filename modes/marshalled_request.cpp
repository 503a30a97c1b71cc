#include "modes/marshalled_request.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "watchdog/http/length_units.hpp"

namespace fwd {
namespace {

constexpr std::size_t kPiece = 48 * 1024;  // of the body at a time: 64 KiB of base64; a multiple of 3, so no padding

/// The bytes of the character at the front of `text`, or 0 if it is no UTF-8.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  Utf8Steps steps;
  (void)steps.step(byte(0), 1);
  std::size_t count = 1;
  while (steps.pending() > 0) {
    if (count == text.size() || !steps.accepts(byte(count))) return 0;
    (void)steps.step(byte(count++), 1);
  }
  return count == 1 && byte(0) >= 0x80 ? 0 : count;
}

/// What Go writes for a character of its own; empty: the character itself.
std::string_view go_escape(std::string_view character) {
  if (character == "\"") return "\\\"";
  if (character == "\\") return "\\\\";
  if (character == "\t") return "\\t";  // the only control character that a field may hold
  if (character == "<") return "\\u003c";
  if (character == ">") return "\\u003e";
  if (character == "&") return "\\u0026";
  if (character == "\u2028") return "\\u2028";
  if (character == "\u2029") return "\\u2029";
  return {};
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto count = character_bytes(text);
    const auto character = text.substr(0, std::max<std::size_t>(count, 1));
    const auto escape = count == 0 ? "\\ufffd" : go_escape(character);
    out += escape.empty() ? character : escape;
    text.remove_prefix(character.size());
  }
  out += '"';
}

struct Header {
  std::string name;  // canonical
  std::string_view value;
};

/// By name, equal names in the order they came; without those that Go's server takes out of the fields.
std::vector<Header> sorted_headers(const RequestHead& head) {
  std::vector<Header> headers;
  for (const auto& field : head.fields()) {
    if (same_name(field.name, "host") || same_name(field.name, "transfer-encoding")) continue;
    if (head.chunked() && same_name(field.name, "trailer")) continue;
    Header header{.name = {}, .value = field.value};
    append_canonical(header.name, field.name);
    headers.push_back(std::move(header));
  }
  std::ranges::stable_sort(headers, {}, &Header::name);
  return headers;
}

std::string header_object(const RequestHead& head) {
  std::string out = "{";
  const std::string* open = nullptr;  // the name whose list is being written
  for (const auto headers = sorted_headers(head); const auto& header : headers) {
    if (open != nullptr && *open == header.name) {
      out += ',';
    } else {
      if (open != nullptr) out += "],";
      append_string(out, header.name);
      out += ":[";
      open = &header.name;
    }
    append_string(out, header.value);
  }
  return out += open == nullptr ? "}" : "]}";
}

/// Appends `bytes` with the alphabet of RFC 4648 section 4. Padded, unless they are a multiple of 3.
void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
    const auto byte = [bytes](std::size_t at) {
      return at < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[at])) : 0U;
    };
    const unsigned group = byte(0) << 16U | byte(1) << 8U | byte(2);
    out += kAlphabet[group >> 18U];
    out += kAlphabet[group >> 12U & 63U];
    out += bytes.size() > 1 ? kAlphabet[group >> 6U & 63U] : '=';
    out += bytes.size() > 2 ? kAlphabet[group & 63U] : '=';
  }
}

}  // namespace

Error append_marshalled_request(const RequestHead& head, Spool& body, Spool& out) {
  if (const auto error = out.append("{\"header\":" + header_object(head) + ",\"body\":{\"raw\":\"")) return error;
  std::string text;
  for (std::uint64_t offset = 0; offset < body.size(); offset += kPiece) {
    const auto piece = body.read(offset, kPiece);
    if (!piece) return piece.error();
    text.clear();
    append_base64(text, *piece);
    if (const auto error = out.append(text)) return error;
  }
  return out.append("\"}}");
}

}  // namespace fwd
