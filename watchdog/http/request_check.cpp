#include "watchdog/http/request_check.hpp"

#include <cstddef>

#include "watchdog/http/request_target.hpp"

namespace fwd {
namespace {

constexpr std::size_t kLengthDigits = 19;  // the most that always fit into 64 bits

/// What was counted while the fields were gone through.
struct Seen {
  int hosts = 0;
  int lengths = 0;
  int codings = 0;
  std::string_view coding;
};

void note_connection(std::string_view list, RequestFraming& out) {
  for (auto token = next_element(list); !token.empty(); token = next_element(list)) {
    if (same_name(token, "close")) {
      out.says_close = true;
    } else if (same_name(token, "keep-alive")) {
      out.says_keep_alive = true;
    } else {
      out.connection_names_fields = true;
    }
  }
}

Error note_expect(int minor_version, std::string_view list, RequestFraming& out) {
  for (auto token = next_element(list); !token.empty(); token = next_element(list)) {
    if (!same_name(token, "100-continue")) return Errc::expectation_failed;
    out.expects_continue = minor_version >= 1;
  }
  return {};
}

Error note_length(std::string_view value, Seen& seen, RequestFraming& out) {
  out.content_length = parse_content_length(value);
  return ++seen.lengths > 1 || !out.content_length ? Error(Errc::malformed_request) : Error{};
}

Error note_host(std::string_view value, Seen& seen, RequestFraming& out) {
  out.host = value;
  return ++seen.hosts > 1 || !is_host(value) ? Error(Errc::malformed_request) : Error{};
}

/// One field. Only names of the right length are compared at all.
Error note_field(int minor_version, const Field& field, Seen& seen, RequestFraming& out) {
  switch (field.name.size()) {
    case 4:
      if (same_name(field.name, "host")) return note_host(field.value, seen, out);
      break;
    case 6:
      if (same_name(field.name, "expect")) return note_expect(minor_version, field.value, out);
      break;
    case 10:
      if (same_name(field.name, "connection")) note_connection(field.value, out);
      break;
    case 14:
      if (same_name(field.name, "content-length")) return note_length(field.value, seen, out);
      break;
    case 17:
      if (same_name(field.name, "transfer-encoding")) {
        ++seen.codings;
        seen.coding = field.value;
      }
      break;
    default:
      break;
  }
  return {};
}

Error check_coding(int minor_version, const Seen& seen, RequestFraming& out) {
  if (seen.codings == 0) return {};
  if (seen.codings > 1 || seen.lengths > 0 || minor_version < 1) return Errc::malformed_request;
  out.chunked = same_name(seen.coding, "chunked");
  if (out.chunked) return {};
  return is_token(seen.coding) ? Errc::unsupported_coding : Errc::malformed_request;
}

}  // namespace

Error check_framing(int minor_version, std::span<const Field> fields, RequestFraming& out) {
  out = {};
  Seen seen;
  Error expectation;
  for (const auto& field : fields) {
    const auto error = note_field(minor_version, field, seen, out);
    if (error == Errc::expectation_failed) {
      expectation = error;  // a framing error matters more
    } else if (error) {
      return error;
    }
  }
  if (minor_version >= 1 && seen.hosts != 1) return Errc::malformed_request;
  if (auto error = check_coding(minor_version, seen, out)) return error;
  return expectation;
}

std::optional<std::uint64_t> parse_content_length(std::string_view text) {
  if (text.empty() || text.size() > kLengthDigits) return {};
  std::uint64_t length = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return {};
    length = length * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return length;
}

}  // namespace fwd
