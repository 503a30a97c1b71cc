// Answers: what is reported does not depend on how the bytes are cut, whatever the options.
#include <string>

#include "tests/fuzz/fuzz.hpp"
#include "tests/unit/http/response_script.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fwd;
  if (size == 0) return 0;
  const auto stream = as_text(data + 1, size - 1);
  ResponseReader::Options options = ResponseReader::for_function(static_cast<LengthUnit>(data[0] % 3));
  if ((data[0] & 4) != 0) {
    options = {};
    options.until_eof_allowed = (data[0] & 8) != 0;
    options.bodiless_request = (data[0] & 16) != 0;
    options.switching_allowed = (data[0] & 32) != 0;
  }
  const auto whole = report(stream, stream.size() + 1, options);
  require(report(stream, 1, options) == whole, "single bytes do not matter");
  require(report(stream, Cuts(stream).next(), options) == whole, "cuts do not matter");
  return 0;
}
