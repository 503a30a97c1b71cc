#include "watchdog/config/option_checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/config/read.hpp"

namespace fwd {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(OptionChecks, function_is_required_where_the_mode_has_one) {
  constexpr auto kText = "provide a \"function_process\" or \"fprocess\" environmental variable for your function";
  EXPECT_EQ(error_of({}), kText);
  EXPECT_EQ(error_of({"--"}), kText);
  EXPECT_EQ(error_of({}, {{"fprocess", ""}}), kText);
  for (const auto* mode : {"streaming", "serializing", "http", "afterburn", "classic"})
    EXPECT_EQ(error_of({}, {{"mode", mode}}), kText) << mode;
  EXPECT_EQ(error_of({}, {{"mode", "static"}}), "none");
}

TEST(OptionChecks, http_needs_an_upstream) {
  constexpr auto kText = R"(For "mode=http" you must specify a valid URL for "http_upstream_url")";
  EXPECT_EQ(error_of({"--mode=http", "--", "cat"}), kText);
  EXPECT_EQ(error_of({"--mode=http", "--", "cat"}, {{"upstream_url", ""}}), kText);
  for (const auto* name : {"upstream_url", "http_upstream_url"})
    EXPECT_EQ(error_of({"--mode=http", "--", "cat"}, {{name, "http://127.0.0.1:5000"}}), "none") << name;
}

TEST(OptionChecks, static_needs_a_folder_or_an_archive) {
  constexpr auto kText = R"(For mode=static you must specify the "static_path" to serve)";
  EXPECT_EQ(error_of({"--mode=static"}, {{"static_path", ""}}), kText);
  EXPECT_EQ(error_of({"--mode=static", "--static-path="}, {{"static_path", "/x"}}), kText);
  EXPECT_EQ(error_of({"--mode=static"}, {{"static_path", ""}, {"static_archive", "/x.tar"}}), "none");
  EXPECT_EQ(error_of({"--mode=streaming", "--", "cat"}, {{"static_path", ""}}), "none");
}

TEST(OptionChecks, a_child_that_starts_early_has_no_variables_of_its_request) {
  constexpr auto kText =
      "prefork=\"2\" needs cgi_headers=false: a child that starts before its request cannot have variables of it";
  for (const auto* mode : {"streaming", "serializing", "classic"}) {
    EXPECT_EQ(error_of({"--", "cat"}, {{"mode", mode}, {"prefork", "2"}}), kText) << mode;
    EXPECT_EQ(error_of({"--", "cat"}, {{"mode", mode}, {"prefork", "2"}, {"cgi_headers", "false"}}), "none") << mode;
  }
  EXPECT_EQ(error_of({"--", "cat"}, {{"prefork", "0"}}), "none");
}

TEST(OptionChecks, write_timeout_may_be_none_in_classic_alone) {
  for (const auto* text : {"0", "0s", "-1s"}) {
    const std::string kText = "write_timeout=\"" + std::string(text) + "\": HTTP write timeout must be over 0s";
    for (const auto* mode : {"streaming", "serializing", "afterburn", "static"})
      EXPECT_EQ(error_of({"--", "cat"}, {{"mode", mode}, {"write_timeout", text}}), kText) << mode;
    EXPECT_EQ(good({"--mode=classic"}, {{"write_timeout", text}}).config.write_timeout, seconds(0)) << text;
  }
  EXPECT_EQ(error_of({"--write-timeout=0", "--", "cat"}, {{"write_timeout", "5"}}),
            "--write-timeout=\"0\": HTTP write timeout must be over 0s");
}

TEST(OptionChecks, short_write_timeout_is_warned_of) {
  EXPECT_THAT(good({"--exec-timeout=1m", "--write-timeout=10"}).warnings,
              ElementsAre("write_timeout (10s) is shorter than exec_timeout (1m0s): a slow request is answered 504 "
                          "before the function's own limit"));
  EXPECT_THAT(good({"--exec-timeout=10", "--write-timeout=10"}).warnings, IsEmpty());
  EXPECT_THAT(good({"--exec-timeout=10", "--write-timeout=0", "--mode=classic"}).warnings, IsEmpty());
}

TEST(OptionChecks, metrics_are_not_where_health_is) {
  for (const auto* path : {"/_/health", "/_/ready"})
    EXPECT_EQ(error_of({"--", "cat"}, {{"metrics_path", path}}),
              "metrics_path=\"" + std::string(path) + "\": the watchdog answers something else there");
  EXPECT_EQ(error_of({"--", "cat"}, {{"metrics_path", "/_/metrics"}}), "none");
}

TEST(OptionChecks, options_of_other_modes_are_warned_of) {
  EXPECT_THAT(good({"--mode=afterburn", "--http-workers=2", "--prefork", "3"}).warnings,
              ElementsAre("--prefork=\"3\" has no effect in mode afterburn",
                          "--http-workers=\"2\" has no effect in mode afterburn"));
  EXPECT_THAT(good({"--mode=streaming"}, {{"afterburn_pipeline", "4"}}).warnings,
              ElementsAre("afterburn_pipeline=\"4\" has no effect in mode streaming"));
  EXPECT_THAT(good({"--mode=classic"}, {{"static_archive", "x.tar"}}).warnings,
              ElementsAre("static_archive=\"x.tar\" has no effect in mode classic"));
  EXPECT_THAT(good({"--mode=http", "--http_upstream_url=http://127.0.0.1:1"},
                   {{"max_lifetime", "1h"}, {"max_requests", "5"}, {"max_rss", "1Mi"}})
                  .warnings,
              UnorderedElementsAre("max_requests=\"5\" has no effect in mode http",
                                   "max_lifetime=\"1h\" has no effect in mode http",
                                   "max_rss=\"1Mi\" has no effect in mode http"));
  EXPECT_THAT(good({"--mode=afterburn", "--max_requests=5", "--max_lifetime=1h", "--max_rss=1Mi"}).warnings, IsEmpty());
  EXPECT_THAT(good({"--mode=afterburn", "--afterburn_pipeline=64", "--afterburn-units=utf16"}).warnings, IsEmpty());
}

TEST(OptionChecks, what_old_images_carry_is_not_warned_of) {
  const Environment old = {
      {"cgi_headers", "true"},     {"write_debug", "true"},          {"combine_output", "false"},
      {"marshal_request", "true"}, {"debug_headers", "true"},        {"content_type", "text/plain"},
      {"static_path", "/x"},       {"upstream_url", "http://a"},     {"buffer_http", "true"},
      {"afterburn", "true"},       {"http_buffer_req_body", "true"}, {"fast_fork", "true"}};
  for (const auto* mode : {"streaming", "serializing", "http", "afterburn", "classic", "static"}) {
    const std::string flag = "--mode=" + std::string(mode);
    EXPECT_THAT(good({flag.c_str()}, old).warnings, IsEmpty()) << mode;
  }
}

TEST(OptionChecks, authentication_that_is_asked_for_and_missing_ends_the_start) {
  for (const auto* text : {"true", "1", "yes", "TRUE", "enabled"})
    EXPECT_EQ(error_of({"--", "cat"}, {{"jwt_auth", text}}),
              "jwt_auth=\"" + std::string(text) + "\": not built yet, and without it nothing would be protected");
  for (const auto* text : {"false", "0", "no", ""})
    EXPECT_EQ(error_of({"--", "cat"}, {{"jwt_auth", text}}), "none") << text;
}

TEST(OptionChecks, entries_without_an_equals_sign_are_told) {
  EXPECT_THAT(good({}, {{"", "odd"}}).warnings, ElementsAre("Bad environment: odd"));
}

}  // namespace
}  // namespace fwd
