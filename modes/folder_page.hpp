#pragma once

#include <span>
#include <string>

#include "modes/file_source.hpp"

namespace fwd {

/// A page of HTML with a link to each of `entries`, as Go's file server makes it: folders have a slash behind them.
/// Names are escaped, in the links and in the text.
std::string folder_page(std::span<const FolderEntry> entries);

}  // namespace fwd
