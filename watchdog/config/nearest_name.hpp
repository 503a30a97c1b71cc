#pragma once

#include <string_view>
#include <vector>

namespace fwd {

/// The one of `names` that is closest to `text`, whatever its case, or empty when none is close.
/// The first wins among equals; of a long text only the beginning is looked at.
std::string_view nearest_name(std::string_view text, const std::vector<std::string_view>& names);

}  // namespace fwd
