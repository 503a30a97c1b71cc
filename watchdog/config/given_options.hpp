#pragma once

#include <map>
#include <string>
#include <string_view>

namespace fwd {

/// The options that somebody gave a text to, by their first names, each with how it was given last, for messages:
/// `--port="80"`, `settings.yaml:3: port="80"`. The names are those of option_table(), so they live as long as the
/// program.
using GivenOptions = std::map<std::string_view, std::string>;

}  // namespace fwd
