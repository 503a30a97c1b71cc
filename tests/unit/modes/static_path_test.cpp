#include "modes/static_path.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

/// The decoded path, with a slash behind a folder; or 400 or 404.
std::string decoded(std::string_view raw) {
  std::string out = "what was there before";
  switch (decode_path(raw, out)) {
    case PathKind::file:
      return out;
    case PathKind::folder:
      return out + "/";
    case PathKind::malformed:
      return "400";
    case PathKind::nothing:
      return "404";
  }
  return "";
}

TEST(static_path, is_decoded_once) {
  using namespace std::string_literals;
  const std::pair<std::string, std::string> cases[] = {
      {"/", "/"},
      {"//", "/"},
      {"/a", "a"},
      {"/a/", "a/"},
      {"//a", "a"},
      {"/a//b///", "a/b/"},
      {"/a/b/c.txt", "a/b/c.txt"},
      {"/a%20b", "a b"},
      {"/%41%6a%6A", "Ajj"},
      {"/%C3%A4", "\xc3\xa4"},
      {"/a+b", "a+b"},
      {"/a%252e", "a%2e"},  // decoded once, not twice
      {"/%252e%252e/x", "%2e%2e/x"},
      {"/a%0ab", "a\nb"},
      {"/a..b/c.", "a..b/c."},
      {"/a#b", "a#b"},
      {"/a%3fb", "a?b"},
      {"/.well-known/security.txt", ".well-known/security.txt"},
      {"/%2ewell-known/x", ".well-known/x"},

      {"", "404"},
      {"*", "404"},
      {"a", "404"},
      {"/.", "404"},
      {"/..", "404"},
      {"/../a", "404"},
      {"/a/../b", "404"},
      {"/a/./b", "404"},
      {"/a/..", "404"},
      {"/%2e%2e/a", "404"},
      {"/%2E./a", "404"},
      {"/a/%2e", "404"},
      {"/.git/config", "404"},
      {"/a/.hidden", "404"},
      {"/%2ehidden", "404"},
      {"/...", "404"},
      {"/.well-known/.x", "404"},
      {"/.well-knownx", "404"},
      {"/a/.well-known/x", "404"},
      {"/a%2fb", "404"},
      {"/a%2Fb", "404"},
      {"/..%2fb", "404"},
      {"/a%5cb", "404"},
      {"/a%5Cb", "404"},
      {"/a\\b", "404"},
      {"/..\\b", "404"},
      {"/a%00", "404"},
      {"/%00", "404"},
      {"/a%00.html", "404"},
      {"/a\0b"s, "404"},

      {"/%", "400"},
      {"/%4", "400"},
      {"/a%", "400"},
      {"/%zz", "400"},
      {"/%4g", "400"},
      {"/%-1", "400"},
      {"/% 1", "400"},
      {"/%4/1", "400"},
      {"/../%zz", "400"},
      {"/%u0041", "400"},
  };
  for (const auto& [raw, expected] : cases) EXPECT_EQ(decoded(raw), expected) << raw;
}

TEST(static_path, every_byte_comes_back_from_its_escape) {
  for (int byte = 1; byte < 256; ++byte) {
    const std::string name = "a" + std::string(1, static_cast<char>(byte));
    std::string raw = "/";
    append_path_escaped(raw, name);
    EXPECT_EQ(raw.find_first_of(":?#&<>\"' \\\n"), std::string::npos) << raw;
    EXPECT_EQ(decoded(raw), byte == '/' || byte == '\\' ? "404" : name) << raw;
  }
}

}  // namespace
}  // namespace fwd
