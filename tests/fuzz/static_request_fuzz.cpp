// What clients send to static mode: a path never leads out, and ranges stay inside the file.
#include <string>

#include "modes/byte_ranges.hpp"
#include "modes/static_path.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "watchdog/http/http_date.hpp"
#include "watchdog/http/http_date_reader.hpp"

namespace fwd {
namespace {

void try_path(std::string_view raw) {
  std::string path;
  const PathKind kind = decode_path(raw, path);
  if (kind != PathKind::file && kind != PathKind::folder) return;
  require(path.find('\0') == std::string::npos && path.find('\\') == std::string::npos, "no NUL, no backslash");
  require(!path.starts_with('/') && !path.ends_with('/'), "no slash at either end");
  const bool well_known = path == ".well-known" || path.starts_with(".well-known/");
  require(!path.starts_with('.') || well_known, "nothing hidden at the root");
  require(path.find("/.") == std::string::npos, "nothing hidden below");
  require(path.find("//") == std::string::npos, "no empty component");
}

void try_ranges(std::string_view field, std::uint64_t size) {
  const RangeChoice choice = choose_ranges(field, size);
  require(choice.ranges.empty() == (choice.kind != RangeChoice::Kind::parts), "parts are ranges");
  require(choice.ranges.size() <= kMostRanges, "not too many");
  std::uint64_t left = size;
  for (const ByteRange& range : choice.ranges) {
    require(range.count > 0 && range.first < size && range.count <= size - range.first, "inside the file");
    require(range.count <= left, "no more than the file in all");
    left -= range.count;
  }
}

void try_date(std::string_view text) {
  const auto moment = read_http_date(text);
  if (!moment) return;
  const HttpDateText written = format_http_date(*moment);
  require(read_http_date({written.data(), written.size()}) == moment, "what was read can be written");
}

}  // namespace
}  // namespace fwd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fwd;
  if (size == 0) return 0;
  const auto text = as_text(data + 1, size - 1);
  try_path(text);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{data[0]}, std::uint64_t{1000}, ~std::uint64_t{0}})
    try_ranges("bytes=" + std::string(text), bytes);
  try_date(text);
  return 0;
}
