#include "watchdog/http/cgi_environment.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace fwd {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsSupersetOf;

using Entries = std::vector<std::string>;

/// What the flavour makes of `request`, behind what the watchdog has itself. No name may occur twice.
Entries environment(CgiFlavour flavour, std::string_view request, const CgiFacts& facts = {}) {
  RequestHead head;
  EXPECT_FALSE(head.assign(request, {})) << request;
  Entries out = {"Http_Path=the watchdog's own"};
  append_cgi_environment(head, flavour, facts, out);
  EXPECT_EQ(out.front(), "Http_Path=the watchdog's own");
  out.erase(out.begin());
  std::set<std::string> names;
  for (const auto& entry : out) EXPECT_TRUE(names.insert(entry.substr(0, entry.find('='))).second) << entry;
  return out;
}

Entries of_watchdog(std::string_view request, const CgiFacts& facts = {}) {
  return environment(CgiFlavour::of_watchdog, request, facts);
}
Entries classic(std::string_view request) {
  return environment(CgiFlavour::classic, request);
}
Entries rfc3875(std::string_view request, const CgiFacts& facts = {}) {
  return environment(CgiFlavour::rfc3875, request, facts);
}

std::string get(std::string_view target, std::string_view lines = "Host: a\r\n") {
  return std::string("GET ").append(target).append(" HTTP/1.1\r\n").append(lines).append("\r\n");
}

/// The value of `name`, or a text that no test expects.
std::string value_of(const Entries& entries, std::string_view name) {
  for (const auto& entry : entries) {
    if (entry.starts_with(std::string(name) + "=")) return entry.substr(name.size() + 1);
  }
  return "(not there)";
}

/// Every name that holds `part`.
Entries names_with(const Entries& entries, std::string_view part) {
  Entries names;
  for (const auto& entry : entries) {
    const auto name = entry.substr(0, entry.find('='));
    if (name.find(part) != std::string::npos) names.push_back(name);
  }
  return names;
}

TEST(CgiEnvironment, of_watchdogs_names_and_order) {
  EXPECT_THAT(of_watchdog("POST /a%20b?x=1&y=%20 HTTP/1.1\r\nHost: fn:8080\r\ncontent-length: 5\r\nx-lower_under: 1\r\n"
                          "X_Under: 2\r\nX-Twice: a\r\nx-twice: b\r\nX-Empty:\r\nConnection: keep-alive\r\n\r\n"),
              ElementsAre("Http_Content_Length=5", "Http_X_Twice=a", "Http_X_Empty=", "Http_Connection=keep-alive",
                          "Http_X_Lower_under=1", "Http_X_under=2", "Http_Method=POST", "Http_ContentLength=5",
                          "Http_Query=x=1&y=%20", "Http_Path=/a b", "Http_Host=fn:8080"));
}

TEST(CgiEnvironment, of_watchdog_without_body_and_with_chunks) {
  EXPECT_THAT(of_watchdog("GET / HTTP/1.0\r\n\r\n"),
              ElementsAre("Http_Method=GET", "Http_ContentLength=0", "Http_Path=/"));
  EXPECT_THAT(of_watchdog("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", {.body_length = 7}),
              ElementsAre("Http_Method=PUT", "Http_ContentLength=-1", "Http_Path=/", "Http_Transfer_Encoding=chunked",
                          "Http_Host=a"));
}

TEST(CgiEnvironment, classic_always_says_the_length_twice) {
  EXPECT_THAT(classic("POST /p?q HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX-Twice: a\r\nX-Twice: b\r\n\r\n"),
              ElementsAre("Http_X_Twice=a", "Http_Method=POST", "Http_ContentLength=5", "Http_Content_Length=5",
                          "Http_Query=q", "Http_Path=/p", "Http_Host=a"));
  EXPECT_THAT(classic("GET / HTTP/1.0\r\n\r\n"),
              ElementsAre("Http_Method=GET", "Http_ContentLength=0", "Http_Content_Length=0", "Http_Path=/"));
  EXPECT_THAT(classic("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"),
              ElementsAre("Http_Method=POST", "Http_ContentLength=-1", "Http_Content_Length=-1", "Http_Path=/",
                          "Http_Transfer_Encoding=chunked", "Http_Host=a"));
}

TEST(CgiEnvironment, no_field_makes_a_variable_of_the_request_itself) {
  const auto spoof = get("/real",
                         "Host: a\r\nQuery: x\r\nMethod: PUT\r\npath: /admin\r\nContentLength: 9\r\n"
                         "Content_Length: 9\r\nTransfer_Encoding: x\r\n");
  for (const auto& entries : {of_watchdog(spoof), classic(spoof)}) {
    EXPECT_EQ(value_of(entries, "Http_Query"), "(not there)");
    EXPECT_EQ(value_of(entries, "Http_Method"), "GET");
    EXPECT_EQ(value_of(entries, "Http_Path"), "/real");
    EXPECT_EQ(value_of(entries, "Http_ContentLength"), "0");
    EXPECT_EQ(value_of(entries, "Http_Transfer_Encoding"), "(not there)");
  }
  EXPECT_EQ(value_of(of_watchdog(spoof), "Http_Content_Length"), "(not there)");
  EXPECT_EQ(value_of(classic(spoof), "Http_Content_Length"), "0");
}

TEST(CgiEnvironment, no_field_makes_a_proxy) {
  const auto request = get("/",
                           "Host: a\r\nProxy: evil\r\npRoXy: evil\r\nHttps-Proxy: evil\r\nALL_PROXY: evil\r\n"
                           "X-No_proxy: evil\r\nProxy-Hint: fine\r\nReproxy: fine\r\n");
  EXPECT_THAT(names_with(of_watchdog(request), "roxy"), ElementsAre("Http_Proxy_Hint", "Http_Reproxy"));
  EXPECT_THAT(names_with(classic(request), "roxy"), ElementsAre("Http_Proxy_Hint", "Http_Reproxy"));
  EXPECT_THAT(names_with(rfc3875(request), "PROXY"), ElementsAre("HTTP_PROXY_HINT", "HTTP_REPROXY"));
}

TEST(CgiEnvironment, an_underscore_never_takes_the_place_of_a_hyphen) {
  const auto request = get("/", "Host: a\r\nX_1: evil\r\nX-1: gateway\r\nX-Y_1: evil\r\nX-Y-1: gateway\r\n");
  for (const auto& entries : {of_watchdog(request), classic(request)}) {
    EXPECT_EQ(value_of(entries, "Http_X_1"), "gateway");
    EXPECT_EQ(value_of(entries, "Http_X_Y_1"), "gateway");
  }
  EXPECT_EQ(value_of(rfc3875(request), "HTTP_X_1"), "gateway");
  EXPECT_EQ(value_of(of_watchdog(get("/", "Host: a\r\nX_1: alone\r\n")), "Http_X_1"), "alone");
  EXPECT_THAT(names_with(rfc3875(get("/", "Host: a\r\nX_1: alone\r\nX.2: b\r\nX!3: c\r\n")), "X"), ElementsAre());
}

TEST(CgiEnvironment, paths_are_decoded_as_go_does) {
  struct Row {
    std::string_view target;
    std::string_view path;
  };
  for (const Row& row :
       {Row{"/", "/"}, Row{"/a+b", "/a+b"}, Row{"/%41%62%2f%2F", "/Ab//"}, Row{"/%e2%82%ac", "/\u20ac"},
        Row{"/%25", "/%"}, Row{"/%2541", "/%41"}, Row{"/x%", "/x%"}, Row{"/x%4", "/x%4"}, Row{"/%41%zz", "/%41%zz"},
        Row{"/%4g", "/%4g"}, Row{"/%41%00b", "/%41%00b"}, Row{"/%0a", "/\n"}, Row{"http://b:1/x%20y?q", "/x y"},
        Row{"//x//y", "//x//y"}}) {
    EXPECT_EQ(value_of(of_watchdog(get(row.target)), "Http_Path"), row.path) << row.target;
    EXPECT_EQ(value_of(classic(get(row.target)), "Http_Path"), row.path) << row.target;
    EXPECT_EQ(value_of(rfc3875(get(row.target)), "PATH_INFO"), row.path) << row.target;
  }
  EXPECT_EQ(value_of(of_watchdog("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), "Http_Path"), "*");
}

TEST(CgiEnvironment, an_absolute_target_names_the_host) {
  const auto request = get("http://b.example:81/x?y", "Host: a\r\n");
  EXPECT_EQ(value_of(of_watchdog(request), "Http_Host"), "b.example:81");
  EXPECT_EQ(value_of(rfc3875(request), "HTTP_HOST"), "b.example:81");
  EXPECT_EQ(value_of(rfc3875(request), "SERVER_NAME"), "b.example");
  EXPECT_EQ(value_of(rfc3875(request), "REQUEST_URI"), "/x?y");
}

TEST(CgiEnvironment, rfc3875_says_all_that_a_server_must) {
  EXPECT_THAT(rfc3875("POST /a%20b?x=%20 HTTP/1.1\r\nHost: fn.example:8080\r\nContent-Type: text/x; a=b\r\n"
                      "Content-Length: 5\r\nUser-Agent: curl\r\n\r\n",
                      {.client_address = "::1", .local_port = 9090, .body_length = 5}),
              ElementsAre("GATEWAY_INTERFACE=CGI/1.1", "SERVER_SOFTWARE=fwatchdog", "SERVER_NAME=fn.example",
                          "SERVER_PORT=9090", "SERVER_PROTOCOL=HTTP/1.1", "REMOTE_ADDR=::1", "REQUEST_METHOD=POST",
                          "REQUEST_URI=/a%20b?x=%20", "SCRIPT_NAME=", "PATH_INFO=/a b", "QUERY_STRING=x=%20",
                          "REDIRECT_STATUS=200", "CONTENT_LENGTH=5", "CONTENT_TYPE=text/x; a=b",
                          "HTTP_HOST=fn.example:8080", "HTTP_USER_AGENT=curl"));
  EXPECT_THAT(rfc3875("HEAD / HTTP/1.0\r\n\r\n", {.client_address = "127.0.0.1", .local_port = 80}),
              ElementsAre("GATEWAY_INTERFACE=CGI/1.1", "SERVER_SOFTWARE=fwatchdog", "SERVER_NAME=localhost",
                          "SERVER_PORT=80", "SERVER_PROTOCOL=HTTP/1.0", "REMOTE_ADDR=127.0.0.1", "REQUEST_METHOD=HEAD",
                          "REQUEST_URI=/", "SCRIPT_NAME=", "PATH_INFO=/", "QUERY_STRING=", "REDIRECT_STATUS=200"));
}

TEST(CgiEnvironment, rfc3875_says_a_length_if_and_only_if_there_is_a_body) {
  const std::string post = "POST / HTTP/1.1\r\nHost: a\r\n";
  const auto length = [](std::string_view request, std::optional<std::uint64_t> known) {
    return value_of(rfc3875(request, {.body_length = known}), "CONTENT_LENGTH");
  };
  EXPECT_EQ(length(post + "Transfer-Encoding: chunked\r\n\r\n", 7), "7");  // without the coding: RFC 3875 4.1.2
  EXPECT_EQ(length(post + "Transfer-Encoding: chunked\r\n\r\n", std::nullopt), "(not there)");
  EXPECT_EQ(length(post + "Content-Length: 0\r\n\r\n", 0), "0");
  EXPECT_EQ(length(post + "\r\n", 0), "(not there)");
}

TEST(CgiEnvironment, rfc3875_joins_equal_names_and_keeps_secrets) {
  const auto entries =
      rfc3875(get("/",
                  "Host: a\r\nAccept: a\r\nCookie: x=1\r\naccept: b\r\ncookie: y=2\r\nACCEPT:\r\n"
                  "Authorization: Basic x\r\nContent-Type: t\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nTE: x\r\n"
                  "Keep-Alive: 5\r\nUpgrade: h2c\r\nProxy-Authorization: x\r\nTrailer: x\r\nX-Last: 1\r\n"));
  EXPECT_THAT(names_with(entries, "HTTP_"), ElementsAre("HTTP_HOST", "HTTP_ACCEPT", "HTTP_COOKIE", "HTTP_X_LAST"));
  EXPECT_EQ(value_of(entries, "HTTP_ACCEPT"), "a, b, ");
  EXPECT_EQ(value_of(entries, "HTTP_COOKIE"), "x=1; y=2");
}

TEST(CgiEnvironment, server_name_has_no_port) {
  const auto name = [](std::string host) {
    return value_of(rfc3875(get("/", "Host: " + host + "\r\n")), "SERVER_NAME");
  };
  EXPECT_EQ(name("a"), "a");
  EXPECT_EQ(name("a:"), "a");
  EXPECT_EQ(name("[::1]"), "[::1]");
  EXPECT_EQ(name("[::1]:80"), "[::1]");
  EXPECT_EQ(name(""), "localhost");
}

TEST(CgiEnvironment, a_trace_goes_on_in_every_flavour) {
  const std::string trace = "0af7651916cd43dd8448eb211c80319c";
  const std::string theirs = "00-" + trace + "-b7ad6b7169203331-01";
  const std::string ours = "00-" + trace + "-00f067aa0ba902b7-01";
  const auto request = get("/", "Host: a\r\nTraceparent: " + theirs + "\r\nTracestate: a=1\r\ntracestate: b=2\r\n");
  for (const auto flavour : {CgiFlavour::of_watchdog, CgiFlavour::classic, CgiFlavour::rfc3875}) {
    const auto entries = environment(flavour, request, {.traceparent = ours});
    const bool is_cgi = flavour == CgiFlavour::rfc3875;
    EXPECT_THAT(entries, IsSupersetOf({"TRACEPARENT=" + ours, std::string("TRACESTATE=a=1,b=2"),
                                       (is_cgi ? "HTTP_TRACEPARENT=" : "Http_Traceparent=") + ours,
                                       std::string(is_cgi ? "HTTP_TRACESTATE=" : "Http_Tracestate=") + "a=1,b=2"}));
  }
}

TEST(CgiEnvironment, another_trace_has_no_state_of_the_clients) {
  const std::string ours = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03";
  for (const auto* lines : {"Host: a\r\nTraceparent: junk\r\nTracestate: a=1\r\n", "Host: a\r\nTracestate: a=1\r\n"}) {
    for (const auto flavour : {CgiFlavour::of_watchdog, CgiFlavour::classic, CgiFlavour::rfc3875}) {
      const auto entries = environment(flavour, get("/", lines), {.traceparent = ours});
      EXPECT_THAT(entries, Contains("TRACEPARENT=" + ours));
      EXPECT_THAT(names_with(entries, "STATE"), ElementsAre());
      EXPECT_THAT(names_with(entries, "state"), ElementsAre());
    }
  }
}

TEST(CgiEnvironment, without_a_trace_the_fields_stay_as_they_came) {
  const auto request = get("/", "Host: a\r\nTraceparent: junk\r\nTracestate: a=1\r\n");
  EXPECT_THAT(of_watchdog(request), IsSupersetOf({"Http_Traceparent=junk", "Http_Tracestate=a=1"}));
  EXPECT_THAT(rfc3875(request), IsSupersetOf({"HTTP_TRACEPARENT=junk", "HTTP_TRACESTATE=a=1"}));
  EXPECT_EQ(value_of(of_watchdog(request), "TRACEPARENT"), "(not there)");
  EXPECT_EQ(value_of(rfc3875(request), "TRACESTATE"), "(not there)");
}

}  // namespace
}  // namespace fwd
