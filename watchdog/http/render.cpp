#include "watchdog/http/render.hpp"

#include <charconv>
#include <cstddef>

#include "watchdog/http/response_head.hpp"
#include "watchdog/http/trace_context.hpp"

namespace fwd {
namespace {

constexpr std::size_t kDigits = 20;  // of the largest number of 64 bits

/// Copies without the checks of std::string::append: the room was made before.
char* put(char* out, std::string_view text) {
  return out + text.copy(out, text.size());
}

/// Makes `out` longer by `size` and returns where the new part starts.
char* make_room(std::string& out, std::size_t size) {
  const auto start = out.size();
  out.resize(start + size);
  return out.data() + start;
}

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

bool is_of_another_trace(const RequestHead& head, std::string_view name, std::string_view traceparent) {
  if (same_name(name, "traceparent")) return true;
  if (!same_name(name, "tracestate")) return false;
  const auto ours = TraceContext::parse(traceparent);
  return !ours || !ours->continues(head.find("traceparent"));
}

void append_number(std::string& out, std::uint64_t number) {
  char digits[kDigits];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

void render_function_request(const RequestHead& head, std::uint64_t content_length, std::string& out,
                             std::string_view traceparent) {
  constexpr std::string_view kVersionAndHost = " HTTP/1.1\r\nHost: ", kLength = "\r\nContent-Length: ";
  constexpr std::string_view kTraceparent = "Traceparent: ";
  std::size_t room = head.method().size() + head.path_and_query().size() + head.host().size() + kDigits +
                     kVersionAndHost.size() + kLength.size() + 8;
  for (const auto& field : head.fields()) room += field.name.size() + field.value.size() + 4;
  if (!traceparent.empty()) room += kTraceparent.size() + traceparent.size() + 2;
  out.resize(room);
  char* p = out.data();
  p = put(p, head.method() == "HEAD" ? std::string_view("GET") : head.method());
  *p++ = ' ';
  p = put(p, head.path_and_query());
  p = put(p, kVersionAndHost);
  p = put(p, head.host());
  p = put(p, kLength);
  p = std::to_chars(p, p + kDigits, content_length).ptr;
  p = put(p, "\r\n");
  for (const auto& field : head.fields()) {
    if (is_replaced(field.name) || head.is_for_this_hop(field.name)) continue;
    if (!traceparent.empty() && is_of_another_trace(head, field.name, traceparent)) continue;
    p = write_canonical(p, field.name);
    p = put(p, ": ");
    p = put(p, field.value);
    p = put(p, "\r\n");
  }
  if (!traceparent.empty()) p = put(put(put(p, kTraceparent), traceparent), "\r\n");
  p = put(p, "\r\n");
  out.resize(static_cast<std::size_t>(p - out.data()));
}

void HeadWriter::status(int status, std::string_view reason) {
  const auto phrase = reason.empty() ? reason_for(status) : reason;
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  char* p = make_room(out_, kVersion.size() + 4 + phrase.size() + 2);
  p = put(p, kVersion);
  for (int unit = 100; unit > 0; unit /= 10) *p++ = static_cast<char>('0' + status / unit % 10);
  *p++ = ' ';
  p = put(p, phrase);
  (void)put(p, "\r\n");
}

void HeadWriter::field(std::string_view name, std::string_view value) {
  char* p = make_room(out_, name.size() + value.size() + 4);
  p = put(p, name);
  p = put(p, ": ");
  p = put(p, value);
  (void)put(p, "\r\n");
}

void HeadWriter::field(std::string_view name, std::uint64_t value) {
  char digits[kDigits];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  field(name, std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

void HeadWriter::end() {
  out_.append("\r\n");
}

}  // namespace fwd
