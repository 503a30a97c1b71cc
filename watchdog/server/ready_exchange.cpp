#include "watchdog/server/ready_exchange.hpp"

namespace fwd {
namespace {

/// Fields that say what the client's own request is like, and not what it wants.
bool is_of_that_request(const RequestHead& head, std::string_view name) {
  for (const std::string_view own : {"Host", "Content-Length", "Expect"})
    if (same_name(name, own)) return true;
  return head.is_for_this_hop(name);
}

std::string render(const RequestHead& head, std::string_view path) {
  std::string text = "GET " + std::string(path) + " HTTP/1.1\r\nHost: " + std::string(head.host()) + "\r\n";
  for (const Field& field : head.fields()) {
    if (is_of_that_request(head, field.name)) continue;
    text.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  return text + "\r\n";
}

}  // namespace

ReadyExchange::ReadyExchange(Exchange& client, std::string_view path) : client_(client) {
  const std::string text = render(client.request(), path);
  RequestLimits limits;  // the fields have been held to the real ones before
  limits.head_bytes = limits.line_bytes = limits.target_bytes = text.size();
  limits.fields = client.request().fields().size() + 1;
  error_ = request_.assign(text, limits);
}

}  // namespace fwd
