#include "watchdog/http/sniff.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

namespace fwd {
namespace {

using namespace std::string_view_literals;

constexpr auto kHtml = "text/html; charset=utf-8"sv;
constexpr auto kText = "text/plain; charset=utf-8"sv;
constexpr auto kUnknown = "application/octet-stream"sv;

struct Signature {
  std::string_view bytes;  // at the front; a '?' at an index in `any` matches everything
  std::string_view type;
  std::size_t any_from = 0;
  std::size_t any_to = 0;
};

/// Behind leading blanks, in any case, and followed by a blank or '>'.
constexpr std::string_view kTags[] = {
    "<!DOCTYPE HTML", "<HTML",  "<HEAD", "<SCRIPT", "<IFRAME", "<H1", "<DIV", "<FONT", "<TABLE", "<A",
    "<STYLE",         "<TITLE", "<B",    "<BODY",   "<BR",     "<P",  "<!--"};

/// In the order in which they are tried; those of the standard's sections 6.1 to 6.4.
constexpr Signature kBeforeMp4[] = {
    {"%PDF-"sv, "application/pdf"},
    {"%!PS-Adobe-"sv, "application/postscript"},
    {"\xFE\xFF??"sv, "text/plain; charset=utf-16be", 2, 4},
    {"\xFF\xFE??"sv, "text/plain; charset=utf-16le", 2, 4},
    {"\xEF\xBB\xBF?"sv, kText, 3, 4},
    {"\0\0\1\0"sv, "image/x-icon"},
    {"\0\0\2\0"sv, "image/x-icon"},
    {"BM"sv, "image/bmp"},
    {"GIF87a"sv, "image/gif"},
    {"GIF89a"sv, "image/gif"},
    {"RIFF????WEBPVP"sv, "image/webp", 4, 8},
    {"\x89PNG\r\n\x1A\n"sv, "image/png"},
    {"\xFF\xD8\xFF"sv, "image/jpeg"},
    {"FORM????AIFF"sv, "audio/aiff", 4, 8},
    {"ID3"sv, "audio/mpeg"},
    {"OggS\0"sv, "application/ogg"},
    {"MThd\0\0\0\6"sv, "audio/midi"},
    {"RIFF????AVI "sv, "video/avi", 4, 8},
    {"RIFF????WAVE"sv, "audio/wave", 4, 8},
};

constexpr Signature kAfterMp4[] = {
    {"\x1A\x45\xDF\xA3"sv, "video/webm"},
    // Go's mask has the 34 bytes before "LP" as zero, so they may be anything.
    {"??????????????????????????????????LP"sv, "application/vnd.ms-fontobject", 0, 34},
    {"\0\1\0\0"sv, "font/ttf"},
    {"OTTO"sv, "font/otf"},
    {"ttcf"sv, "font/collection"},
    {"wOFF"sv, "font/woff"},
    {"wOF2"sv, "font/woff2"},
    {"\x1F\x8B\x08"sv, "application/x-gzip"},
    {"PK\3\4"sv, "application/zip"},
    {"Rar!\x1A\7\0"sv, "application/x-rar-compressed"},
    {"Rar!\x1A\7\1\0"sv, "application/x-rar-compressed"},
    {"\0\x61\x73\x6D"sv, "application/wasm"},
};

bool is_blank(char c) {
  return c == '\t' || c == '\n' || c == '\f' || c == '\r' || c == ' ';
}

bool matches(const Signature& signature, std::string_view data) {
  const auto size = signature.bytes.size();
  return data.size() >= size && data.substr(0, signature.any_from) == signature.bytes.substr(0, signature.any_from) &&
         data.substr(signature.any_to, size - signature.any_to) == signature.bytes.substr(signature.any_to);
}

bool matches_tag(std::string_view tag, std::string_view data) {
  if (data.size() <= tag.size() || (data[tag.size()] != ' ' && data[tag.size()] != '>')) return false;
  for (std::size_t i = 0; i < tag.size(); ++i) {
    const bool letter = tag[i] >= 'A' && tag[i] <= 'Z';
    if ((letter ? data[i] & ~0x20 : data[i]) != tag[i]) return false;
  }
  return true;
}

/// A box `ftyp` with a brand that begins with `mp4`. Section 6.2.1.
bool matches_mp4(std::string_view data) {
  if (data.size() < 12 || data.substr(4, 4) != "ftyp") return false;
  std::uint32_t box = 0;
  for (char c : data.substr(0, 4)) box = box << 8 | static_cast<unsigned char>(c);
  if (data.size() < box || box % 4 != 0) return false;
  for (std::size_t at = 8; at < box; at += 4) {
    if (at != 12 && data.substr(at, 3) == "mp4") return true;  // at 12 stands the version of the major brand
  }
  return false;
}

bool is_binary(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x08 || byte == 0x0B || (byte >= 0x0E && byte <= 0x1A) || (byte >= 0x1C && byte <= 0x1F);
}

/// Eight bytes are passed over at once if none is below a blank.
bool has_binary(std::string_view text) {
  constexpr std::uint64_t kEach = 0x0101010101010101;
  for (; text.size() >= sizeof(std::uint64_t); text.remove_prefix(sizeof(std::uint64_t))) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), sizeof word);
    if (((word - kEach * 0x20) & ~word & kEach * 0x80) == 0) continue;
    for (char c : text.substr(0, sizeof word)) {
      if (is_binary(c)) return true;
    }
  }
  return std::any_of(text.begin(), text.end(), is_binary);
}

/// The bytes that a signature can begin with; the one that begins with anything is looked for on its own.
constexpr auto kFirstBytes = [] {
  std::array<bool, 256> table{};
  for (const auto& signature : kBeforeMp4) table[static_cast<unsigned char>(signature.bytes[0])] = true;
  for (const auto& signature : kAfterMp4) {
    if (signature.any_to == 0) table[static_cast<unsigned char>(signature.bytes[0])] = true;
  }
  return table;
}();

/// False for nearly every text, after three comparisons.
bool may_have_signature(std::string_view data) {
  if (data.empty()) return false;
  return kFirstBytes[static_cast<unsigned char>(data[0])] || data.substr(4 < data.size() ? 4 : 0, 4) == "ftyp" ||
         (data.size() >= 36 && data[34] == 'L' && data[35] == 'P');
}

std::optional<std::string_view> find_signature(std::string_view data) {
  if (!may_have_signature(data)) return {};
  for (const auto& signature : kBeforeMp4) {
    if (matches(signature, data)) return signature.type;
  }
  if (matches_mp4(data)) return "video/mp4";
  for (const auto& signature : kAfterMp4) {
    if (matches(signature, data)) return signature.type;
  }
  return {};
}

}  // namespace

std::string_view sniff_content_type(std::string_view first_bytes) {
  const auto data = first_bytes.substr(0, kSniffBytes);
  const auto* first = std::find_if_not(data.begin(), data.end(), is_blank);
  const auto text = data.substr(static_cast<std::size_t>(first - data.begin()));
  if (text.starts_with('<')) {
    for (auto tag : kTags) {
      if (matches_tag(tag, text)) return kHtml;
    }
    if (text.starts_with("<?xml")) return "text/xml; charset=utf-8";
  }
  if (auto type = find_signature(data)) return *type;
  return has_binary(text) ? kUnknown : kText;
}

}  // namespace fwd
