// Output of CGI programs: the outcome does not depend on how the bytes are cut, and nothing is lost.
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "watchdog/http/cgi_response.hpp"

namespace fwd {
namespace {

struct Outcome {
  bool failed = false;
  bool has_block = false;
  int status = 0;
  std::string fields{};
  std::string body{};
  bool operator==(const Outcome&) const = default;
};

template <class NextSize>
Outcome read(std::string_view bytes, NextSize next_size) {
  CgiResponse response;
  while (!bytes.empty() && response.verdict() == CgiResponse::Verdict::undecided) {
    const auto piece = bytes.substr(0, next_size());
    bytes.remove_prefix(piece.size());
    if (!response.feed(piece)) return {.failed = true};
  }
  Outcome out;
  out.has_block = response.end() == CgiResponse::Verdict::block;
  out.status = response.status();
  for (const auto& field : response.fields()) {
    require(is_token(field.name) && is_field_value(field.value), "fields can be sent");
    out.fields.append(field.name).append(":").append(field.value).append("\n");
  }
  out.body.append(response.body()).append(bytes);
  return out;
}

}  // namespace
}  // namespace fwd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fwd;
  const auto bytes = as_text(data, size);
  const auto whole = read(bytes, [&] { return bytes.size(); });
  Cuts cuts(bytes);
  require(read(bytes, [&] { return cuts.next(); }) == whole, "cuts do not matter");
  require(read(bytes, [] { return std::size_t{1}; }) == whole, "single bytes do not matter");
  if (whole.failed) return 0;
  require(bytes.ends_with(whole.body), "the body is the end of the output");
  require(whole.has_block || whole.body == bytes, "without a block all is body");
  require(!whole.has_block || (whole.status >= 200 && whole.status <= 599), "a block has a status");
  return 0;
}
