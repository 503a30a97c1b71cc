#include "watchdog/http/render.hpp"

#include <gtest/gtest.h>
#include <string>

namespace fwd {
namespace {

std::string rendered(std::string_view request, std::uint64_t length = 0) {
  RequestHead head;
  EXPECT_FALSE(head.assign(request, {})) << request;
  std::string out = "left over";
  render_function_request(head, length, out);
  return out;
}

TEST(RenderFunctionRequest, host_and_length_come_first_then_fields_in_order) {
  EXPECT_EQ(rendered("POST /a?b HTTP/1.0\r\nuser-agent: ApacheBench/2.3\r\ncontent-length: 17\r\nhost: fn:8081\r\n"
                     "X-OpenFaaS-Id:  1\r\nx-call-id: z\r\nX-Call-Id: y\r\nX-Empty:\r\n\r\n",
                     17),
            "POST /a?b HTTP/1.1\r\nHost: fn:8081\r\nContent-Length: 17\r\nUser-Agent: ApacheBench/2.3\r\n"
            "X-Openfaas-Id: 1\r\nX-Call-Id: z\r\nX-Call-Id: y\r\nX-Empty: \r\n\r\n");
}

TEST(RenderFunctionRequest, a_length_is_always_there) {
  EXPECT_EQ(rendered("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(rendered("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 18446744073709551615U),
            "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 18446744073709551615\r\n\r\n");
}

TEST(RenderFunctionRequest, head_is_sent_as_get_and_no_other_method_changes) {
  EXPECT_TRUE(rendered("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("GET / HTTP/1.1\r\n"));
  EXPECT_TRUE(rendered("head / HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("head / "));
  EXPECT_TRUE(rendered("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").starts_with("OPTIONS * HTTP/1.1\r\n"));
}

TEST(RenderFunctionRequest, host_may_be_empty_or_come_from_the_target) {
  EXPECT_EQ(rendered("GET / HTTP/1.0\r\n\r\n"), "GET / HTTP/1.1\r\nHost: \r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(rendered("GET http://b:1?q HTTP/1.1\r\nHost: a\r\n\r\n"),
            "GET /?q HTTP/1.1\r\nHost: b:1\r\nContent-Length: 0\r\n\r\n");
}

TEST(RenderFunctionRequest, what_concerns_this_hop_stays_here) {
  EXPECT_EQ(rendered("POST / HTTP/1.1\r\nHost: a\r\nConnection: close, X-Secret\r\nKeep-Alive: 5\r\nTE: trailers\r\n"
                     "Trailer: X\r\nUpgrade: h2c\r\nProxy-Connection: x\r\nProxy-Authorization: x\r\nX-Secret: 1\r\n"
                     "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\nAccept: */*\r\n\r\n",
                     5),
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nAccept: */*\r\n\r\n");
}

/// The fields behind Host and Content-Length, with `traceparent` to be sent on.
std::string traced(std::string_view fields, std::string_view traceparent) {
  RequestHead head;
  EXPECT_FALSE(head.assign("GET / HTTP/1.1\r\nHost: a\r\n" + std::string(fields) + "\r\n", {}));
  std::string out;
  render_function_request(head, 0, out, traceparent);
  const std::string_view front = "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n";
  EXPECT_TRUE(out.starts_with(front)) << out;
  return out.substr(front.size());
}

TEST(RenderFunctionRequest, our_traceparent_stands_for_the_clients_and_state_goes_with_its_trace_alone) {
  const std::string trace = "0af7651916cd43dd8448eb211c80319c";
  const std::string clients = "00-" + trace + "-b7ad6b7169203331-01";
  const std::string ours = "00-" + trace + "-00f067aa0ba902b7-01";
  const std::string other = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03";
  const std::string sent = "Traceparent: " + ours + "\r\n\r\n";
  EXPECT_EQ(traced("traceparent: " + clients + "\r\ntracestate: a=1\r\nX-A: b\r\n", ours),
            "Tracestate: a=1\r\nX-A: b\r\n" + sent);
  EXPECT_EQ(traced("tracestate: a=1\r\nX-A: b\r\n", ours), "X-A: b\r\n" + sent);
  EXPECT_EQ(traced("", ours), sent);
  EXPECT_EQ(traced("TRACEPARENT: nonsense\r\nTraceState: a=1\r\n", ours), sent);
  EXPECT_EQ(traced("traceparent: " + clients + "\r\ntracestate: a=1\r\n", other),
            "Traceparent: " + other + "\r\n\r\n");
  EXPECT_EQ(traced("traceparent: nonsense\r\ntracestate: a=1\r\n", ""),
            "Traceparent: nonsense\r\nTracestate: a=1\r\n\r\n")
      << "not traced: nothing changes";
}

TEST(HeadWriter, writes_a_head_behind_what_is_there) {
  std::string out = "HTTP/1.1 100 Continue\r\n\r\n";
  HeadWriter head(out);
  head.status(200);
  head.field("Date", "Mon, 30 Nov 2026 20:35:52 GMT");
  head.field("Content-Length", std::uint64_t{46});
  head.end();
  EXPECT_EQ(out,
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 20:35:52 GMT\r\n"
            "Content-Length: 46\r\n\r\n");
}

TEST(HeadWriter, reasons_are_given_or_standard_or_empty) {
  std::string out;
  HeadWriter head(out);
  head.status(404);
  head.status(200, "Fine");
  head.status(299);
  EXPECT_EQ(out, "HTTP/1.1 404 Not Found\r\nHTTP/1.1 200 Fine\r\nHTTP/1.1 299 \r\n");
}

}  // namespace
}  // namespace fwd
