#include "watchdog/http/field.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

using namespace std::string_view_literals;

TEST(Field, names_are_the_same_whatever_their_case) {
  EXPECT_TRUE(same_name("", ""));
  EXPECT_TRUE(same_name("Content-Length", "cONTENT-lENGTH"));
  EXPECT_TRUE(same_name("x-1_~", "X-1_~"));
  EXPECT_FALSE(same_name("Host", "Hos"));
  EXPECT_FALSE(same_name("-", "\r"));  // differ by the bit that case differs by, but are no letters
  EXPECT_FALSE(same_name("@", "`"));
  EXPECT_FALSE(same_name("[", "{"));
  EXPECT_FALSE(same_name("^", "~"));
  EXPECT_FALSE(same_name("\xC9", "\xE9"));
}

TEST(Field, tokens_are_found_in_lists) {
  struct Row {
    std::string_view list, token;
    bool found;
  };
  for (const Row& row : {Row{"", "close", false}, Row{"close", "close", true}, Row{"Close", "close", true},
                         Row{"keep-alive, close", "close", true}, Row{" ,, close\t,", "close", true},
                         Row{"closed", "close", false}, Row{"not close", "close", false}, Row{"a,b", "", false}}) {
    EXPECT_EQ(has_token(row.list, row.token), row.found) << row.list;
  }
}

TEST(Field, elements_are_taken_off_a_list_one_by_one) {
  auto list = " a , ,b\t,c d,"sv;
  EXPECT_EQ(next_element(list), "a");
  EXPECT_EQ(next_element(list), "b");
  EXPECT_EQ(next_element(list), "c d");
  EXPECT_EQ(next_element(list), "");
  EXPECT_EQ(list, "");
}

TEST(Field, names_become_canonical_as_in_go) {
  struct Row {
    std::string_view name, canonical;
  };
  for (const Row& row : {Row{"content-length", "Content-Length"}, Row{"X-OpenFaaS-Internal", "X-Openfaas-Internal"},
                         Row{"x-lower_under", "X-Lower_under"}, Row{"X_Under", "X_under"}, Row{"ETAG", "Etag"},
                         Row{"-a--b-", "-A--B-"}, Row{"1a", "1a"}, Row{"te", "Te"}}) {
    std::string out = "kept ";
    append_canonical(out, row.name);
    EXPECT_EQ(out, "kept " + std::string(row.canonical));
  }
}

TEST(Field, fields_of_one_hop_are_known) {
  for (auto name : {"Connection", "keep-alive", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "upgrade",
                    "Proxy-Authenticate", "Proxy-Authorization"}) {
    EXPECT_TRUE(is_hop_by_hop(name)) << name;
  }
  for (auto name :
       {"Host", "Content-Length", "X-Call-Id", "Authorization", "Set-Cookie", "Accept-Encoding", "", "tf"}) {
    EXPECT_FALSE(is_hop_by_hop(name)) << name;
  }
}

TEST(Field, tokens_and_values_hold_what_rfc_9110_allows) {
  EXPECT_TRUE(is_token("!#$%&'*+-.^_`|~09azAZ"));
  for (auto text : {""sv, "a b"sv, "a:"sv, "a\0"sv, "\xE9"sv, "a,b"sv, "\"a\""sv, "a\x7F"sv, "(a)"sv}) {
    EXPECT_FALSE(is_token(text)) << text;
  }
  EXPECT_TRUE(is_field_value(""));
  EXPECT_TRUE(is_field_value("a\tb \xE9\xFF~"));
  for (auto text : {"\0"sv, "a\rb"sv, "a\nb"sv, "\x1B[0m"sv, "\x7F"sv}) EXPECT_FALSE(is_field_value(text));
}

TEST(Field, every_byte_is_judged_the_same_at_every_place) {
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool fine = byte == '\t' || (byte >= 0x20 && byte != 0x7F);
    for (std::size_t place = 0; place < 20; ++place) {
      std::string value(20, 'a'), other(20, 'a');
      value[place] = c;
      EXPECT_EQ(is_field_value(value), fine) << byte << ' ' << place;
      for (int twin = 0; twin < 256; ++twin) {
        other[place] = static_cast<char>(twin);
        const bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z' && byte < 0x80;
        EXPECT_EQ(same_name(value, other), byte == twin || (letter && (byte ^ twin) == 0x20)) << byte << ' ' << twin;
      }
    }
  }
}

}  // namespace
}  // namespace fwd
