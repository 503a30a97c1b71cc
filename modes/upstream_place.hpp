#pragma once

#include <string>
#include <string_view>

#include "modes/upstream_url.hpp"
#include "watchdog/process/spawn.hpp"

namespace fwd {

/// Where one function process listens, and how it is started so that it does.
struct UpstreamPlace {
  UpstreamUrl url;
  SpawnRequest command;
};

inline constexpr std::string_view kPortPlaceholder = "{port}";
inline constexpr std::string_view kSocketPlaceholder = "{socket}";

/// True if each process gets a place of its own from this URL.
bool has_placeholder(std::string_view url);

/// Why `url` can be no upstream, in words; empty if it can. Placeholders are taken for what they will be.
std::string problem_of_upstream_template(std::string_view url);

/// Puts a free TCP port of 127.0.0.1, taken anew at each call, and `socket_path` in place of `{port}` and `{socket}`;
/// sets PORT in the environment to the port, or removes it where there is none.
/// Shape:  the words of the command get the port or the socket of the URL, also of one without placeholders.
/// Errors: invalid_value; those of socket() and bind().
Result<UpstreamPlace> place_upstream(std::string_view url, SpawnRequest command, const std::string& socket_path);

/// A TCP port of 127.0.0.1 that nobody uses at this moment, of those that the kernel gives to nobody unasked where there
/// is one. Errors: those of socket() and bind().
Result<std::uint16_t> find_free_port();

}  // namespace fwd
