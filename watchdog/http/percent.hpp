#pragma once

#include <string>
#include <string_view>

namespace fwd {

/// Appends `text` with every `%XX` as the byte that it stands for; '+' is an ordinary character.
/// Errors: false if a '%' is not followed by two hexadecimal digits; `out` then holds a part.
/// Source: RFC 3986 section 2.1.
bool append_percent_decoded(std::string& out, std::string_view text);

}  // namespace fwd
