#include "modes/upstream_request.hpp"

#include <gtest/gtest.h>

namespace fwd {
namespace {

std::string render(std::string_view request, const UpstreamRequest& extras = {}) {
  RequestHead head;
  const RequestLimits limits;
  EXPECT_FALSE(head.assign(request, limits)) << request;
  UpstreamRequest all = extras;
  if (all.client_address.empty()) all.client_address = "10.0.0.9";
  std::string out = "left over";
  render_upstream_request(head, all, out);
  return out;
}

constexpr std::string_view kForwarded = "X-Forwarded-For: 10.0.0.9\r\nX-Forwarded-Host: h:81\r\nX-Forwarded-Proto: http\r\n";

TEST(upstream_request, a_get_is_passed_on_with_nothing_but_the_forwarded_fields) {
  EXPECT_EQ(render("GET //a/../b?x=%2F&y HTTP/1.1\r\nhost: h:81\r\naCCept: */*\r\nX_y: 1\r\nx-two: a\r\nX-Two: b\r\n\r\n"),
            "GET //a/../b?x=%2F&y HTTP/1.1\r\nHost: h:81\r\naCCept: */*\r\nX_y: 1\r\nx-two: a\r\nX-Two: b\r\n" +
                std::string(kForwarded) + "\r\n");
}

TEST(upstream_request, the_host_is_the_functions_own_where_the_client_names_none) {
  UpstreamRequest extras;
  extras.authority = "127.0.0.1:5000";
  EXPECT_EQ(render("GET / HTTP/1.0\r\n\r\n", extras),
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:5000\r\nX-Forwarded-For: 10.0.0.9\r\nX-Forwarded-Proto: http\r\n\r\n");
  EXPECT_EQ(render("GET / HTTP/1.1\r\nHost: h:81\r\n\r\n", extras),
            "GET / HTTP/1.1\r\nHost: h:81\r\n" + std::string(kForwarded) + "\r\n");
}

TEST(upstream_request, the_length_is_exact_and_chunks_stay_chunks) {
  EXPECT_EQ(render("POST / HTTP/1.1\r\nHost: h:81\r\ncontent-length: 0012\r\n\r\n"),
            "POST / HTTP/1.1\r\nHost: h:81\r\n" + std::string(kForwarded) + "Content-Length: 12\r\n\r\n");
  EXPECT_EQ(render("POST / HTTP/1.1\r\nHost: h:81\r\nContent-Length: 0\r\n\r\n"),
            "POST / HTTP/1.1\r\nHost: h:81\r\n" + std::string(kForwarded) + "Content-Length: 0\r\n\r\n");
  EXPECT_EQ(render("POST / HTTP/1.1\r\nHost: h:81\r\nTransfer-Encoding: chunked\r\n\r\n"),
            "POST / HTTP/1.1\r\nHost: h:81\r\n" + std::string(kForwarded) + "Transfer-Encoding: chunked\r\n\r\n");
  UpstreamRequest read_before;
  read_before.length = 5;
  EXPECT_EQ(render("POST / HTTP/1.1\r\nHost: h:81\r\nTransfer-Encoding: chunked\r\n\r\n", read_before),
            "POST / HTTP/1.1\r\nHost: h:81\r\n" + std::string(kForwarded) + "Content-Length: 5\r\n\r\n");
}

TEST(upstream_request, what_concerns_one_hop_ends_here) {
  EXPECT_EQ(render("GET / HTTP/1.1\r\nHost: h:81\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\nKeep-Alive: 5\r\nTE: trailers\r\n"
                   "Trailer: X\r\nUpgrade: h2c\r\nProxy-Connection: close\r\nProxy-Authorization: Basic eA==\r\n\r\n"),
            "GET / HTTP/1.1\r\nHost: h:81\r\n" + std::string(kForwarded) + "\r\n");
  EXPECT_EQ(render("POST / HTTP/1.1\r\nHost: h:81\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"),
            "POST / HTTP/1.1\r\nHost: h:81\r\n" + std::string(kForwarded) + "Content-Length: 1\r\n\r\n");
}

TEST(upstream_request, forwarded_fields_are_continued) {
  EXPECT_EQ(render("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 1.1.1.1\r\nx-forwarded-for: 2.2.2.2, 3.3.3.3\r\n"
                   "X-Forwarded-Proto: https\r\nX-Forwarded-Host: outside\r\n\r\n"),
            "GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: outside\r\n"
            "X-Forwarded-For: 1.1.1.1, 2.2.2.2, 3.3.3.3, 10.0.0.9\r\n\r\n");
}

TEST(upstream_request, every_form_of_target_goes_on_in_origin_form_behind_the_prefix) {
  UpstreamRequest extras;
  extras.prefix = "/v1";
  const auto line = [&extras](std::string_view request) {
    const std::string out = render(request, extras);
    return out.substr(0, out.find("\r\nX-"));
  };
  EXPECT_EQ(line("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), "GET /v1/ HTTP/1.1\r\nHost: h");
  EXPECT_EQ(line("GET http://other:9/a?b HTTP/1.1\r\nHost: other:9\r\n\r\n"), "GET /v1/a?b HTTP/1.1\r\nHost: other:9");
  EXPECT_EQ(line("GET http://other?b HTTP/1.1\r\nHost: other\r\n\r\n"), "GET /v1/?b HTTP/1.1\r\nHost: other");
  EXPECT_EQ(line("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n"), "OPTIONS * HTTP/1.1\r\nHost: h");
}

TEST(upstream_request, a_trace_of_ours_replaces_the_clients) {
  constexpr std::string_view request =
      "GET / HTTP/1.1\r\nHost: h:81\r\nTraceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n"
      "tracestate: a=b\r\n\r\n";
  UpstreamRequest extras;
  extras.traceparent = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";  // goes on with it
  EXPECT_EQ(render(request, extras), "GET / HTTP/1.1\r\nHost: h:81\r\ntracestate: a=b\r\n" + std::string(kForwarded) +
                                         "traceparent: " + std::string(extras.traceparent) + "\r\n\r\n");
  extras.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";  // another
  EXPECT_EQ(render(request, extras), "GET / HTTP/1.1\r\nHost: h:81\r\n" + std::string(kForwarded) + "traceparent: " +
                                         std::string(extras.traceparent) + "\r\n\r\n");
  EXPECT_NE(render(request).find("b7ad6b7169203331-01\r\ntracestate: a=b\r\n"), std::string::npos);  // none
}

TEST(upstream_request, an_upgrade_is_passed_on_where_it_is_wanted) {
  constexpr std::string_view request =
      "GET / HTTP/1.1\r\nHost: h:81\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\n\r\n";
  UpstreamRequest extras;
  extras.upgrade = true;
  EXPECT_EQ(render(request, extras), "GET / HTTP/1.1\r\nHost: h:81\r\nSec-WebSocket-Key: k\r\n" + std::string(kForwarded) +
                                         "Connection: upgrade\r\nUpgrade: websocket\r\n\r\n");
  EXPECT_EQ(render(request), "GET / HTTP/1.1\r\nHost: h:81\r\nSec-WebSocket-Key: k\r\n" + std::string(kForwarded) + "\r\n");
}

TEST(upstream_request, an_upgrade_needs_both_fields_the_version_and_no_body) {
  const auto asks = [](std::string_view request) {
    RequestHead head;
    const RequestLimits limits;
    EXPECT_FALSE(head.assign(request, limits)) << request;
    return asks_for_upgrade(head);
  };
  EXPECT_TRUE(asks("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"));
  EXPECT_TRUE(asks("GET / HTTP/1.1\r\nHost: h\r\nConnection: a\r\nConnection: b, UPGRADE\r\nUpgrade: x\r\n\r\n"));
  EXPECT_FALSE(asks("GET / HTTP/1.1\r\nHost: h\r\nUpgrade: x\r\n\r\n"));
  EXPECT_FALSE(asks("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\n\r\n"));
  EXPECT_FALSE(asks("GET / HTTP/1.0\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"));
  EXPECT_FALSE(asks("POST / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n\r\n"));
}

TEST(upstream_request, only_safe_requests_and_those_with_a_key_may_be_repeated) {
  const auto may = [](std::string_view method, std::string_view field = "") {
    RequestHead head;
    const RequestLimits limits;
    const std::string request = std::string(method) + " / HTTP/1.1\r\nHost: h\r\n" + std::string(field) + "\r\n";
    EXPECT_FALSE(head.assign(request, limits)) << request;
    return may_be_repeated(head);
  };
  for (const char* method : {"GET", "HEAD", "OPTIONS", "TRACE"}) EXPECT_TRUE(may(method)) << method;
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE", "get", "PURGE"}) EXPECT_FALSE(may(method)) << method;
  EXPECT_TRUE(may("POST", "Idempotency-Key: 1\r\n"));
}

}  // namespace
}  // namespace fwd
