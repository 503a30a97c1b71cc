#include "watchdog/http/trace_context.hpp"

#include <gtest/gtest.h>
#include <set>
#include <string>

namespace fwd {
namespace {

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kParent = "b7ad6b7169203331";
const std::string kField = "00-" + kTrace + "-" + kParent + "-01";

std::string changed(std::size_t at, char to) {
  auto text = kField;
  text[at] = to;
  return text;
}

TEST(TraceContext, a_field_is_read_into_its_parts) {
  const auto context = TraceContext::parse(kField);
  ASSERT_TRUE(context);
  EXPECT_EQ(context->traceparent(), kField);
  EXPECT_EQ(context->trace_id(), kTrace);
  EXPECT_EQ(context->parent_id(), kParent);
}

TEST(TraceContext, every_cut_and_every_capital_is_refused) {
  for (std::size_t i = 0; i < kField.size(); ++i) EXPECT_FALSE(TraceContext::parse(kField.substr(0, i))) << i;
  for (std::size_t i = 0; i < kField.size(); ++i) {
    for (const char c : {'A', 'F', 'g', ' ', '\t', '\0', '\xE9'}) EXPECT_FALSE(TraceContext::parse(changed(i, c))) << i;
  }
  for (const std::size_t dash : {2U, 35U, 52U}) {
    for (const char c : {'0', '_'}) EXPECT_FALSE(TraceContext::parse(changed(dash, c)));
  }
}

TEST(TraceContext, zero_ids_version_ff_and_what_follows_version_00_are_refused) {
  const std::string zeros(32, '0');
  for (const auto& field : {"00-" + zeros + "-" + kParent + "-01", "00-" + kTrace + "-" + zeros.substr(16) + "-01",
                            "ff" + kField.substr(2), kField + "-", kField + "-x", kField + "0", kField + " ",
                            " " + kField, kField + "," + kField, "0g" + kField.substr(2)}) {
    EXPECT_FALSE(TraceContext::parse(field)) << field;
  }
}

TEST(TraceContext, of_a_later_version_the_known_part_is_taken) {
  const auto later = "cc" + kField.substr(2);
  for (const auto& field : {later, later + "-", later + "-what the future -- brings"}) {
    const auto context = TraceContext::parse(field);
    ASSERT_TRUE(context) << field;
    EXPECT_EQ(context->traceparent(), kField);
  }
  for (const auto& field : {later + "0", later + ".x"}) EXPECT_FALSE(TraceContext::parse(field)) << field;
}

TEST(TraceContext, only_the_sampled_and_the_random_flag_are_sent_on) {
  const auto flags = [](std::string_view given) {
    const auto context = TraceContext::parse(kField.substr(0, 53).append(given));
    return context ? std::string(context->traceparent().substr(53)) : "refused";
  };
  EXPECT_EQ(flags("00"), "00");
  EXPECT_EQ(flags("01"), "01");
  EXPECT_EQ(flags("02"), "02");
  EXPECT_EQ(flags("03"), "03");
  EXPECT_EQ(flags("ff"), "03");
  EXPECT_EQ(flags("fc"), "00");
}

TEST(TraceContext, a_child_keeps_trace_and_flags_and_has_an_id_of_its_own) {
  const auto child = TraceContext::from(kField);
  EXPECT_EQ(child.trace_id(), kTrace);
  EXPECT_NE(child.parent_id(), kParent);
  EXPECT_EQ(child.traceparent().substr(52), "-01");
  EXPECT_TRUE(TraceContext::parse(child.traceparent()));
  EXPECT_NE(TraceContext::from(kField).parent_id(), child.parent_id());
}

TEST(TraceContext, without_a_valid_field_a_trace_begins) {
  for (const auto field : {std::optional<std::string_view>(), std::optional<std::string_view>("00-junk")}) {
    const auto context = TraceContext::from(field);
    const auto parsed = TraceContext::parse(context.traceparent());
    ASSERT_TRUE(parsed) << context.traceparent();
    EXPECT_EQ(parsed->traceparent(), context.traceparent());
    EXPECT_EQ(context.traceparent().substr(52), "-03");
  }
}

TEST(TraceContext, ids_do_not_repeat) {
  std::set<std::string> traces;
  std::set<std::string> parents;
  for (int i = 0; i < 1000; ++i) {  // more than one helping of random bytes
    const auto context = TraceContext::from({});
    traces.emplace(context.trace_id());
    parents.emplace(context.parent_id());
    parents.emplace(TraceContext::from(kField).parent_id());
  }
  EXPECT_EQ(traces.size(), 1000U);
  EXPECT_EQ(parents.size(), 2000U);
}

TEST(TraceContext, continues_says_whether_tracestate_may_go_on) {
  EXPECT_TRUE(TraceContext::from(kField).continues(kField));
  EXPECT_TRUE(TraceContext::from(kField).continues("cc" + kField.substr(2) + "-x"));
  EXPECT_FALSE(TraceContext::from(kField).continues(std::nullopt));
  EXPECT_FALSE(TraceContext::from("junk").continues("junk"));
  EXPECT_FALSE(TraceContext::from({}).continues(kField));
}

}  // namespace
}  // namespace fwd
