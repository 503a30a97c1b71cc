#include "bench/options.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "bench/option_table.hpp"
#include "bench/version.hpp"

namespace fwd::bench {
namespace {

std::variant<Options, Parting> parse(std::vector<std::string> words, const char* program = "fbench") {
  words.insert(words.begin(), program);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return parse_options(static_cast<int>(words.size()), argv.data());
}

Options good(std::vector<std::string> words, const char* program = "fbench") {
  auto parsed = parse(std::move(words), program);
  if (const auto* parting = std::get_if<Parting>(&parsed)) ADD_FAILURE() << parting->out << parting->err;
  return std::holds_alternative<Options>(parsed) ? std::get<Options>(parsed) : Options();
}

Parting bad(std::vector<std::string> words, const char* program = "fbench") {
  auto parsed = parse(std::move(words), program);
  if (std::holds_alternative<Options>(parsed)) ADD_FAILURE() << "accepted";
  return std::holds_alternative<Parting>(parsed) ? std::get<Parting>(parsed) : Parting();
}

TEST(Options, defaults_are_those_of_ab) {
  const Options options = good({"http://h/"});
  EXPECT_EQ(options.requests, 1u);
  EXPECT_EQ(options.concurrency, 1u);
  EXPECT_EQ(options.time_limit, nanoseconds::zero());
  EXPECT_EQ(options.timeout, seconds(30));
  EXPECT_EQ(options.request.method, "GET");
  EXPECT_EQ(options.request.version, HttpVersion::http_10);
  EXPECT_EQ(options.request.content_type, "text/plain");
  EXPECT_FALSE(options.request.keep_alive || options.request.has_body || options.request.keep_duplicates);
  EXPECT_FALSE(options.quiet || options.any_length || options.without_percentiles || options.without_deviation ||
               options.like_ab);
}

TEST(Options, short_ones_may_be_bundled_and_the_seed_reads) {
  const Options bundled = good({"-kqlc20", "-n100", "http://h/"});
  EXPECT_TRUE(bundled.request.keep_alive && bundled.quiet && bundled.any_length);
  EXPECT_EQ(bundled.concurrency, 20u);
  EXPECT_EQ(bundled.requests, 100u);
  const Options seed = good({"-n", "1000", "-c", "20", "-p", "test_data.txt", "http://localhost:8081/"});
  EXPECT_EQ(seed.requests, 1000u);
  EXPECT_EQ(seed.body_path, "test_data.txt");
  EXPECT_EQ(seed.request.method, "POST");
  EXPECT_TRUE(seed.request.has_body);
  EXPECT_EQ(seed.url.port, 8081);
}

TEST(Options, a_method_of_ones_own_keeps_the_body_in_either_order) {
  EXPECT_EQ(good({"-u", "f", "http://h/"}).request.method, "PUT");
  EXPECT_EQ(good({"-p", "f", "-m", "PATCH", "http://h/"}).request.method, "PATCH");
  EXPECT_EQ(good({"-m", "PATCH", "-p", "f", "http://h/"}).request.method, "PATCH");
  EXPECT_EQ(good({"-i", "http://h/"}).request.method, "HEAD");
}

TEST(Options, fields_cookies_and_users_add_up) {
  const Options options =
      good({"-H", "A: 1", "-H", "B: 2", "-C", "a=1", "-C", "b=2", "-A", "  u:p", "-A", "v:q", "http://h/"});
  EXPECT_EQ(options.request.fields, (std::vector<std::string>{"A: 1", "B: 2"}));
  EXPECT_EQ(options.request.cookie, "a=1; b=2");
  EXPECT_EQ(options.request.authorizations, (std::vector<std::string>{"u:p", "v:q"}));
  EXPECT_EQ(good({"--ab", "-C", "a=1", "-C", "b=2", "http://h/"}).request.cookie, "b=2");
}

TEST(Options, a_time_limit_alone_is_the_only_limit_but_not_as_ab) {
  EXPECT_EQ(good({"-t", "2", "http://h/"}).requests, 0u);
  EXPECT_EQ(good({"-t", "2", "-n", "7", "http://h/"}).requests, 7u);
  EXPECT_EQ(good({"-n", "7", "-t", "2", "http://h/"}).requests, 7u);
  EXPECT_EQ(good({"-c", "20", "-t", "2", "http://h/"}).concurrency, 20u);
  EXPECT_EQ(good({"--ab", "-t", "2", "http://h/"}).requests, 50'000u);
  EXPECT_EQ(good({"--ab", "-n", "7", "-t", "2", "http://h/"}).requests, 50'000u);
  EXPECT_EQ(good({"--ab", "-t", "2", "-n", "7", "http://h/"}).requests, 7u);
}

TEST(Options, times_are_seconds_or_go_durations) {
  EXPECT_EQ(good({"-s", "5", "http://h/"}).timeout, seconds(5));
  EXPECT_EQ(good({"--timeout", "250ms", "http://h/"}).timeout, milliseconds(250));
  EXPECT_EQ(good({"-t", "1m30s", "http://h/"}).time_limit, seconds(90));
}

TEST(Options, long_ones_are_ours) {
  EXPECT_EQ(good({"--http", "1.1", "http://h/"}).request.version, HttpVersion::http_11);
  EXPECT_EQ(good({"--http=1.0", "http://h/"}).request.version, HttpVersion::http_10);
  EXPECT_EQ(good({"--precision", "us", "http://h/"}).precision, Precision::microseconds);
  EXPECT_EQ(good({"--requests=9", "--concurrency=3", "http://h/"}).requests, 9u);
}

TEST(Options, called_as_ab_is_like_ab) {
  EXPECT_TRUE(good({"http://h/"}, "/usr/bin/ab").like_ab);
  EXPECT_TRUE(good({"http://h/"}, "ab").request.keep_duplicates);
  EXPECT_FALSE(good({"http://h/"}, "/usr/bin/grab").like_ab);
}

TEST(Options, what_is_wrong_is_named_in_one_line) {
  const struct {
    std::vector<std::string> words;
    const char* says;
  } rows[] = {
      {{}, "no URL"},
      {{"http://h/", "-n", "2"}, "one URL, after all options: unexpected 'http://h/' and more"},
      {{"-Q", "http://h/"}, "unknown option -Q"},
      {{"-kQ", "http://h/"}, "unknown option -Q"},
      {{"--nope", "http://h/"}, "unknown option --nope"},
      {{"--nope=3", "http://h/"}, "unknown option --nope=3"},
      {{"-n"}, "option -n requires a value"},
      {{"--http"}, "option --http requires a value"},
      {{"-n", "abc", "http://h/"}, "option -n 'abc': not a number above 0"},
      {{"-n", "0", "http://h/"}, "option -n '0': not a number above 0"},
      {{"-n", "-5", "http://h/"}, "option -n '-5': not a number above 0"},
      {{"-n", "1e3", "http://h/"}, "option -n '1e3': not a number above 0"},
      {{"-c", "0", "http://h/"}, "option -c '0': not a number from 1 to 200000"},
      {{"-c", "200001", "http://h/"}, "option -c '200001': not a number from 1 to 200000"},
      {{"-c", "2", "http://h/"}, "concurrency 2 is greater than the number of requests, 1"},
      {{"-t", "0", "http://h/"}, "option -t '0': not a time above 0, such as 30, 1.5s or 200ms"},
      {{"-s", "x", "http://h/"}, "option -s 'x': not a time above 0, such as 30, 1.5s or 200ms"},
      {{"--http", "2", "http://h/"}, "option --http '2': not 1.0 or 1.1"},
      {{"--precision", "ns", "http://h/"}, "option --precision 'ns': not ms or us"},
      {{"-m", "", "http://h/"}, "option -m '': not a method"},
      {{"-m", "A B", "http://h/"}, "option -m 'A B': not a method"},
      {{"-p", "a", "-u", "b", "http://h/"}, "option -u 'b': -p and -u exclude each other"},
      {{"-i", "-p", "a", "http://h/"}, "-i excludes -p, -u and -m"},
      {{"http://h"}, "invalid URL 'http://h': expected [http://]host[:port]/path"},
      {{"https://h/"}, "URL 'https://h/': https is not built yet"},
  };
  for (const auto& row : rows) {
    const Parting parting = bad(row.words);
    EXPECT_EQ(parting.exit_code, 2) << row.says;
    EXPECT_EQ(parting.out, "");
    EXPECT_EQ(parting.err, std::string("fbench: ") + row.says + " (-h for help)\n");
  }
  EXPECT_EQ(bad({"--ab", "-Q", "http://h/"}).exit_code, 22);
  EXPECT_EQ(bad({"-Q", "http://h/"}, "ab").err, "ab: unknown option -Q (-h for help)\n");
}

TEST(Options, version_and_help_go_where_ab_sends_them_only_as_ab) {
  EXPECT_EQ(bad({"-V"}).out, "fbench " + std::string(version()) + "\n");
  EXPECT_EQ(bad({"-V"}).exit_code, 0);
  EXPECT_EQ(bad({"--ab", "-V"}).out, ab_banner());
  EXPECT_EQ(bad({"-h"}).exit_code, 0);
  EXPECT_EQ(bad({"--help"}).out, usage_text());
  EXPECT_EQ(bad({"--ab", "-h"}).exit_code, 22);
  EXPECT_EQ(bad({"--ab", "-h"}).err, usage_text());
}

TEST(Options, every_row_is_unique_has_a_name_and_appears_in_the_help) {
  const std::string help = usage_text();
  std::string letters;
  for (const OptionRow& row : option_table()) {
    EXPECT_TRUE(row.letter != 0 || row.name != nullptr);
    EXPECT_NE(row.set, nullptr);
    EXPECT_NE(help.find(row.help), std::string::npos);
    if (row.letter == 0) continue;
    EXPECT_EQ(letters.find(row.letter), std::string::npos) << row.letter;
    letters += row.letter;
    EXPECT_NE(help.find(std::string("  -") + row.letter), std::string::npos);
  }
}

}  // namespace
}  // namespace fwd::bench
