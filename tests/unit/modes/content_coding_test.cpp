#include "modes/content_coding.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

/// The names of what is wanted, with blanks between.
std::string wanted(const std::string& fields) {
  RequestHead head;
  EXPECT_FALSE(head.assign("GET /a HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n", RequestLimits{})) << fields;
  std::string text;
  for (const ContentCoding coding : wanted_codings(head)) {
    if (!text.empty()) text += ' ';
    text += name_of(coding);
  }
  return text;
}

TEST(content_coding, goes_by_the_client_s_weights) {
  const std::pair<const char*, const char*> cases[] = {
      {"gzip", "gzip"},
      {"br", "br"},
      {"GZIP", "gzip"},
      {"x-gzip", "gzip"},
      {"gzip, br", "br gzip"},
      {"gzip, deflate, br, zstd", "br gzip"},
      {"gzip;q=1.0, br;q=0.5", "gzip br"},
      {"gzip;q=0.5, br;q=0.5", "br gzip"},
      {"gzip ; q=0.2 , br ; Q=0.1", "gzip br"},
      {"gzip;q=0, br", "br"},
      {"gzip;q=0.000", ""},
      {"gzip;q=0.001", "gzip"},
      {"*", "br gzip"},
      {"*;q=0", ""},
      {"*;q=0.5, gzip", "gzip br"},
      {"br;q=0, *", "gzip"},
      {"identity, gzip;q=0.5", ""},
      {"identity;q=0.5, gzip;q=0.5", "gzip"},
      {"identity;q=0, gzip", "gzip"},
      {"identity;q=0.7, gzip;q=0.9, br;q=0.1", "gzip"},
      {"identity", ""},
      {"identity;q=0", ""},
      {"deflate", ""},
      {"", ""},
      {"gzip;q=2", ""},
      {"gzip;q=1.5", ""},
      {"gzip;q=0.1234", ""},
      {"gzip;q=", ""},
      {"gzip;q=.5", ""},
      {"gzip;level=9", ""},
      {"gzip;", ""},
      {"gzipped, brx", ""},
  };
  for (const auto& [field, expected] : cases)
    EXPECT_EQ(wanted("Accept-Encoding: " + std::string(field) + "\r\n"), expected) << field;
}

TEST(content_coding, without_a_field_the_file_goes_as_it_is) {
  EXPECT_EQ(wanted(""), "");
}

TEST(content_coding, several_lines_are_one_list) {
  EXPECT_EQ(wanted("Accept-Encoding: gzip\r\nAccept-Encoding: br\r\n"), "br gzip");
}

}  // namespace
}  // namespace fwd
