// Chunked bodies: the outcome does not depend on how the bytes are cut, and what is encoded decodes to itself.
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "watchdog/http/chunked_decoder.hpp"

namespace fwd {
namespace {

struct Outcome {
  std::string data;
  std::size_t taken = 0;  // up to the end; of a body that fails or goes on, all there is
  bool done = false;
  bool failed = false;
  bool operator==(const Outcome&) const = default;
};

template <class NextSize>
Outcome decode(std::string_view bytes, ChunkedDecoder::Leniency leniency, NextSize next_size) {
  ChunkedDecoder decoder(leniency, {.line_bytes = 64, .trailer_bytes = 64, .excess_bytes = 256});
  Outcome out;
  std::size_t at = 0;
  while (at < bytes.size() && !decoder.done()) {
    auto input = bytes.substr(at, next_size());
    at += input.size();
    while (!input.empty() && !decoder.done()) {
      const auto piece = decoder.next(input);
      if (!piece) return {out.data, bytes.size(), false, true};
      out.data += *piece;
    }
    at -= input.size();
  }
  out.taken = at;
  out.done = decoder.done();
  return out;
}

}  // namespace
}  // namespace fwd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fwd;
  const auto bytes = as_text(data, size);
  for (auto leniency : {ChunkedDecoder::Leniency::strict, ChunkedDecoder::Leniency::bare_lf}) {
    const auto whole = decode(bytes, leniency, [&] { return bytes.size(); });
    Cuts cuts(bytes);
    require(decode(bytes, leniency, [&] { return cuts.next(); }) == whole, "cuts do not matter");
    require(decode(bytes, leniency, [] { return std::size_t{1}; }) == whole, "single bytes do not matter");
  }
  std::string encoded;
  Cuts cuts(bytes);
  for (std::size_t at = 0; at < bytes.size();) {
    const auto piece = bytes.substr(at, cuts.next());
    append_chunk_head(encoded, piece.size());
    encoded.append(piece).append(kChunkTail);
    at += piece.size();
  }
  encoded.append(kLastChunk).append("next");
  const auto back = decode(encoded, ChunkedDecoder::Leniency::strict, [&] { return encoded.size(); });
  require(back.done && back.data == bytes && back.taken == encoded.size() - 4, "what is encoded decodes to itself");
  return 0;
}
