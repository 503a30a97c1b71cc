// trace_context: functions and log lines are part of the client's trace, or of a new one.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "tests/e2e/fragilities.hpp"
#include "tests/e2e/one_shot.hpp"

namespace fwd::test {
namespace {

const std::string kTrace = "0af7651916cd43dd8448eb211c80319c";
const std::string kParent = "b7ad6b7169203331";
const std::string kField = "00-" + kTrace + "-" + kParent + "-01";

/// Every value of a field in the head that the function got.
std::vector<std::string> all_of(const std::string& head, const std::string& name) {
  std::vector<std::string> values;
  const std::regex line("\r\n" + name + ": ([^\r]*)", std::regex::icase);
  for (std::sregex_iterator each(head.begin(), head.end(), line), end; each != end; ++each)
    values.push_back((*each)[1]);
  return values;
}

class Trace : public testing::Test {
 protected:
  /// The head that the function gets of a request with `fields`.
  std::string head_with(const Fields& fields) {
    const HttpAnswer answer = post(watchdog_, "/echo-head", "x", fields);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.body;
  }

  /// The only traceparent in `head`, which is a right one.
  static std::string traceparent(const std::string& head) {
    const auto values = all_of(head, "traceparent");
    EXPECT_EQ(values.size(), 1U) << head;
    if (values.empty()) return {};
    EXPECT_TRUE(std::regex_match(values[0], std::regex("00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3]"))) << values[0];
    return values[0];
  }

  /// The trace id of the last request's line.
  std::string logged() {
    std::string id;
    for (const std::string& line : watchdog_.lines()) {
      const auto object = nlohmann::json::parse(line, nullptr, false);
      if (object.is_object() && object.value("msg", "") == "request") id = object.value("trace_id", "");
    }
    return id;
  }

  WatchdogProcess watchdog_{misbehave({{"trace_context", "true"}, {"log_format", "json"}})};
};

TEST_F(Trace, a_clients_trace_goes_on_with_a_new_parent) {
  const std::string head = head_with({{"TraceParent", kField}, {"Tracestate", "a=1"}, {"tracestate", "b=2"}});
  const std::string sent = traceparent(head);
  EXPECT_EQ(sent.substr(0, 36), "00-" + kTrace + "-");
  EXPECT_NE(sent.substr(36, 16), kParent);
  EXPECT_EQ(sent.substr(52), "-01") << "the client's flags";
  EXPECT_EQ(all_of(head, "tracestate"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_TRUE(wait_until([this] { return logged() == kTrace; })) << watchdog_.log();
}

TEST_F(Trace, without_a_trace_each_request_begins_its_own) {
  const std::string first = traceparent(head_with({{"Tracestate", "a=1"}}));
  EXPECT_TRUE(wait_until([&] { return logged() == first.substr(3, 32); })) << watchdog_.log();
  const std::string second = traceparent(head_with({}));
  EXPECT_NE(first.substr(3, 32), second.substr(3, 32));
}

TEST_F(Trace, a_bad_field_is_replaced_and_its_state_dropped) {
  for (const Fields& bad :
       {Fields{{"traceparent", "00-" + std::string(32, '0') + "-" + kParent + "-01"}},
        Fields{{"traceparent", "ff-" + kTrace + "-" + kParent + "-01"}}, Fields{{"traceparent", "nonsense"}},
        Fields{{"traceparent", ""}}, Fields{{"traceparent", kField}, {"traceparent", kField}}}) {
    Fields fields = bad;
    fields.emplace_back("tracestate", "a=1");
    const std::string head = head_with(fields);
    EXPECT_NE(traceparent(head).substr(3, 32), kTrace) << head;
    EXPECT_TRUE(all_of(head, "tracestate").empty()) << head;
  }
}

TEST(trace_context, a_process_of_one_request_has_it_in_its_environment) {
  const std::string script = "printf '%s %s' \"$TRACEPARENT\" \"$TRACESTATE\"";
  for (const std::string mode : {"streaming", "serializing", "classic"}) {
    WatchdogProcess watchdog(shell(mode, script, {{"trace_context", "true"}}));
    const HttpAnswer with = post(watchdog, "/", "x", {{"traceparent", kField}, {"tracestate", "a=1"}});
    EXPECT_TRUE(std::regex_match(with.body, std::regex("00-" + kTrace + "-[0-9a-f]{16}-01 a=1"))) << mode << with.body;
    EXPECT_EQ(with.body.find(kParent), std::string::npos) << mode;
    const HttpAnswer without = post(watchdog, "/", "x");
    EXPECT_TRUE(std::regex_match(without.body, std::regex("00-[0-9a-f]{32}-[0-9a-f]{16}-0[0-3] "))) << without.body;
  }
}

TEST(trace_context_off, nothing_is_changed_or_added) {
  WatchdogProcess watchdog(misbehave({{"log_format", "json"}}));
  const HttpAnswer with = post(watchdog, "/echo-head", "x", {{"traceparent", "nonsense"}, {"tracestate", "a=1"}});
  EXPECT_EQ(all_of(with.body, "traceparent"), std::vector<std::string>{"nonsense"});
  EXPECT_EQ(all_of(with.body, "tracestate"), std::vector<std::string>{"a=1"});
  const HttpAnswer without = post(watchdog, "/echo-head", "x");
  EXPECT_TRUE(all_of(without.body, "traceparent").empty()) << without.body;
  ASSERT_TRUE(watchdog.wait_for_line("\"msg\":\"request\""));
  EXPECT_EQ(watchdog.count_lines("trace_id"), 0U) << watchdog.log();
}

}  // namespace
}  // namespace fwd::test
