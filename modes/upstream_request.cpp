#include "modes/upstream_request.hpp"

#include "watchdog/http/render.hpp"

namespace fwd {
namespace {

constexpr std::string_view kForwardedFor = "X-Forwarded-For";
constexpr std::string_view kForwardedHost = "X-Forwarded-Host";
constexpr std::string_view kForwardedProto = "X-Forwarded-Proto";

/// Fields that are written by us, or that end here.
bool is_replaced(std::string_view name) {
  switch (name.size()) {
    case 4: return same_name(name, "host");
    case 6: return same_name(name, "expect");
    case 14: return same_name(name, "content-length");
    case 15: return same_name(name, kForwardedFor);
    default: return false;
  }
}

/// Also those that Connection names: a client could take X-Forwarded-For away like this, but we write it anew.
void append_forwarded(const RequestHead& head, const UpstreamRequest& extras, std::string& out) {
  out.append(kForwardedFor).append(": ");
  for (const Field& field : head.fields())
    if (same_name(field.name, kForwardedFor) && !field.value.empty()) out.append(field.value).append(", ");
  out.append(extras.client_address).append("\r\n");
  HeadWriter writer(out);
  const auto missing = [&head](std::string_view name) { return !head.find(name) || head.is_for_this_hop(name); };
  if (missing(kForwardedHost) && !head.host().empty()) writer.field(kForwardedHost, head.host());
  if (missing(kForwardedProto)) writer.field(kForwardedProto, "http");
}

void append_framing(const RequestHead& head, const UpstreamRequest& extras, std::string& out) {
  HeadWriter writer(out);
  const auto length = extras.length ? extras.length : head.content_length();
  if (length) {
    writer.field("Content-Length", *length);
  } else if (head.chunked()) {
    writer.field("Transfer-Encoding", "chunked");
  }
}

void append_upgrade(const RequestHead& head, std::string& out) {
  HeadWriter writer(out);
  writer.field("Connection", "upgrade");
  for (const Field& field : head.fields())
    if (same_name(field.name, "Upgrade")) writer.field(field.name, field.value);
}

}  // namespace

void render_upstream_request(const RequestHead& head, const UpstreamRequest& extras, std::string& out) {
  out.clear();
  out.append(head.method()).append(" ");
  if (head.path_and_query() != "*") out.append(extras.prefix);
  const std::string_view host = head.host().empty() ? extras.authority : head.host();
  out.append(head.path_and_query()).append(" HTTP/1.1\r\nHost: ").append(host).append("\r\n");
  HeadWriter writer(out);
  for (const Field& field : head.fields()) {
    if (is_replaced(field.name) || head.is_for_this_hop(field.name)) continue;
    if (!extras.traceparent.empty() && is_of_another_trace(head, field.name, extras.traceparent)) continue;
    writer.field(field.name, field.value);
  }
  append_forwarded(head, extras, out);
  if (!extras.traceparent.empty()) writer.field("traceparent", extras.traceparent);
  append_framing(head, extras, out);
  if (extras.upgrade) append_upgrade(head, out);
  writer.end();
}

bool asks_for_upgrade(const RequestHead& head) {
  if (head.minor_version() == 0 || head.has_body() || !head.find("Upgrade")) return false;
  for (const Field& field : head.fields())
    if (same_name(field.name, "Connection") && has_token(field.value, "upgrade")) return true;
  return false;
}

bool may_be_repeated(const RequestHead& head) {
  const std::string_view method = head.method();
  if (method == "GET" || method == "HEAD" || method == "OPTIONS" || method == "TRACE") return true;
  return head.find("Idempotency-Key") || head.find("X-Idempotency-Key");
}

}  // namespace fwd
