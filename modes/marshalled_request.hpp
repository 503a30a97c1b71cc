#pragma once

#include "watchdog/base/error.hpp"
#include "watchdog/base/spool.hpp"
#include "watchdog/http/request_head.hpp"

namespace fwd {

/// Appends a request as one line of JSON without a line end, as classic-watchdog's `marshal_request` gives it to its
/// function: `{"header":{"Content-Length":["5"],"X-A":["1","2"]},"body":{"raw":"aGVsbG8="}}`.
/// Byte for byte what Go's encoding/json writes: names in canonical spelling and sorted, all values in their order,
/// `<`, `>`, `&`, U+2028 and U+2029 escaped, a byte that is not UTF-8 as `\ufffd`. Without Host and Transfer-Encoding,
/// which Go keeps elsewhere; also without the Cache-Control that Go adds to `Pragma: no-cache`. The body is in base64.
/// Errors: those of Spool; `out` then holds a part.
/// Source: reference/watchdog-contract.md 2.1; Go's encoding/json, net/http/transfer.go.
Error append_marshalled_request(const RequestHead& head, Spool& body, Spool& out);

}  // namespace fwd
