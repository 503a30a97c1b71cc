#pragma once

#include <string>
#include <string_view>

#include "watchdog/http/response_reader.hpp"

namespace fwd {

/// What a reader reports of a stream, pieces of the same kind joined: `stray(..)interim(100)head(200)body(..)end` or
/// `error` at the end; then what is left over, behind '|'.
inline std::string report(std::string_view stream, std::size_t piece, const ResponseReader::Options& options) {
  using Part = ResponseReader::Part;
  ResponseReader reader;
  reader.start(options);
  std::string out, text, kept;
  Part kind = Part::need_more;
  const auto flush = [&] {
    if (!text.empty()) out += (kind == Part::stray ? "stray(" : "body(") + text + ")";
    text.clear();
  };
  while (true) {
    std::string_view input = kept;
    const auto step = reader.next(input);
    if (!step) {
      flush();
      return out + "error";
    }
    if (step->part != kind && step->part != Part::need_more) flush();
    if (step->part == Part::stray || step->part == Part::body) {
      kind = step->part;
      text += step->bytes;
    }
    kept = std::string(input);
    if (step->part == Part::interim) out += "interim(" + std::to_string(reader.head().status()) + ")";
    if (step->part == Part::head) out += "head(" + std::to_string(reader.head().status()) + ")";
    if (step->part == Part::end) return out + "end|" + kept + std::string(stream);
    if (step->part != Part::need_more) continue;
    if (stream.empty()) break;
    kept += stream.substr(0, piece);
    stream.remove_prefix(std::min(piece, stream.size()));
  }
  flush();
  return out + (reader.at_eof() ? "cut|" : "eof|") + kept;
}

}  // namespace fwd
