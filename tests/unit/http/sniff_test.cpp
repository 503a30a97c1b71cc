#include "watchdog/http/sniff.hpp"

#include <gtest/gtest.h>
#include <string>

#include "tests/unit/http/sniff_vectors.hpp"

namespace fwd {
namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

TEST(Sniff, says_what_go_says) {
  for (const auto& vector : kSniffVectors) {
    EXPECT_EQ(sniff_content_type(from_hex(vector.hex)), vector.type) << vector.hex;
  }
}

TEST(Sniff, looks_at_512_bytes_only) {
  EXPECT_EQ(sniff_content_type(std::string(512, 'a') + '\0'), kText);
  EXPECT_EQ(sniff_content_type(std::string(511, 'a') + '\0'), kBinary);
  EXPECT_EQ(sniff_content_type(std::string(506, ' ') + "<html>"), kHtml);
  EXPECT_EQ(sniff_content_type(std::string(507, ' ') + "<html>"), kText);
}

}  // namespace
}  // namespace fwd
