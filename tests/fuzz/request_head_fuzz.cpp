// Request heads: what holds for every head that is taken, and that the early verdict never contradicts the final one.
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "watchdog/http/render.hpp"
#include "watchdog/http/request_head.hpp"

namespace fwd {
namespace {

bool inside(std::string_view part, std::string_view whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_taken(const RequestHead& head, const RequestLimits& limits) {
  require(is_token(head.method()) && head.method().size() <= kMethodBytes, "the method is a token");
  require(!head.target().empty() && head.target().size() <= limits.target_bytes, "the target is within limits");
  require(head.path_and_query() == "*" || head.path_and_query().starts_with('/'), "the origin form is one");
  require(inside(head.path(), head.path_and_query()) && inside(head.query(), head.path_and_query()), "parts are parts");
  require(!(head.chunked() && head.content_length()), "one framing");
  require(!head.chunked() || head.minor_version() == 1, "no coding in 1.0");
  require(head.fields().size() <= limits.fields, "fields are within limits");
  for (const auto& field : head.fields()) {
    require(is_token(field.name) && is_field_value(field.value), "fields are fields");
    require(trim_blanks(field.value).size() == field.value.size(), "values are trimmed");
  }
  // What is rendered for a function is again one head, with one length and the same host.
  std::string rendered;
  render_function_request(head, 7, rendered);
  require(find_head_end(rendered, 0) == rendered.size(), "a rendered head is one head");
  RequestHead again;
  if (head.fields().size() + 2 > limits.fields || rendered.size() > limits.head_bytes) return;
  require(!again.assign(rendered, limits), "a rendered head is taken");
  require(again.content_length() == 7U && again.host() == head.host() && !again.chunked(), "and says the same");
}

}  // namespace
}  // namespace fwd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fwd;
  const auto bytes = as_text(data, size).substr(skip_leading_crlf(as_text(data, size)));
  const RequestLimits limits{.head_bytes = 2048, .line_bytes = 512, .target_bytes = 256, .fields = 20};
  const auto end = find_head_end(bytes, 0);

  Cuts cuts(bytes);
  Error early;
  std::size_t searched = 0;
  auto found = std::string_view::npos;
  for (std::size_t seen = 0; seen < bytes.size() && found == std::string_view::npos && !early;) {
    seen = std::min(bytes.size(), seen + cuts.next());
    found = find_head_end(bytes.substr(0, seen), searched);
    searched = seen;
    if (found == std::string_view::npos) early = check_partial_head(bytes.substr(0, seen), limits);
  }
  if (!early) require(found == end, "the end is found however the bytes are cut");
  if (end == std::string_view::npos) return 0;
  RequestHead head;
  const auto error = head.assign(bytes.substr(0, end), limits);
  if (early) require(error.failed(), "what is refused early is refused");
  if (!error) check_taken(head, limits);
  return 0;
}
