#include "watchdog/http/render.hpp"

#include <charconv>
#include <cstddef>

#include "watchdog/http/response_head.hpp"

namespace fwd {
namespace {

/// Fields that are written by us, or that no function should see.
bool is_replaced(std::string_view name) {
  switch (name.size()) {
    case 4:
      return same_name(name, "host");
    case 6:
      return same_name(name, "expect");
    case 14:
      return same_name(name, "content-length");
    default:
      return false;
  }
}

}  // namespace

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];  // the largest has as many
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

void render_function_request(const RequestHead& head, std::uint64_t content_length, std::string& out) {
  out.clear();
  out.append(head.method() == "HEAD" ? std::string_view("GET") : head.method());
  out.append(" ").append(head.path_and_query()).append(" HTTP/1.1\r\nHost: ").append(head.host());
  out.append("\r\nContent-Length: ");
  append_number(out, content_length);
  out.append("\r\n");
  for (const auto& field : head.fields()) {
    if (is_replaced(field.name) || head.is_for_this_hop(field.name)) continue;
    append_canonical(out, field.name);
    out.append(": ").append(field.value).append("\r\n");
  }
  out.append("\r\n");
}

void HeadWriter::status(int status, std::string_view reason) {
  out_.append("HTTP/1.1 ");
  append_number(out_, static_cast<std::uint64_t>(status));
  out_.append(" ").append(reason.empty() ? reason_for(status) : reason).append("\r\n");
}

void HeadWriter::field(std::string_view name, std::string_view value) {
  out_.append(name).append(": ").append(value).append("\r\n");
}

void HeadWriter::field(std::string_view name, std::uint64_t value) {
  out_.append(name).append(": ");
  append_number(out_, value);
  out_.append("\r\n");
}

void HeadWriter::end() {
  out_.append("\r\n");
}

}  // namespace fwd
