#pragma once

#include <string>

namespace fwd::bench {

/// Appends what printf would print: ab's formats are printf's, column by column.
[[gnu::format(printf, 2, 3)]] void print_to(std::string& text, const char* format, ...);

}  // namespace fwd::bench
