#include "modes/upstream_place.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <random>

#include "watchdog/base/fd.hpp"

namespace fwd {
namespace {

constexpr std::string_view kPortVariable = "PORT=";

/// Below 32768, from where on the kernel hands out ports to whoever asks for any, or connects: ip(7). One of those could
/// be somebody else's by the time that the function binds it, and its requests would go there.
constexpr std::uint16_t kFirstPort = 10'000, kLastPort = 29'999;
constexpr int kTries = 64;

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (;;) {
    const std::size_t at = text.find(from);
    out.append(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    out.append(to);
    text.remove_prefix(at + from.size());
  }
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

/// The port that was bound; `port` 0 leaves the choice to the kernel.
Result<std::uint16_t> bind_for_a_moment(std::uint16_t port) {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return system_error(errno);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* place = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd.get(), place, size) != 0 || ::getsockname(fd.get(), place, &size) != 0) return system_error(errno);
  return ntohs(address.sin_port);
}

}  // namespace

bool has_placeholder(std::string_view url) { return has(url, kPortPlaceholder) || has(url, kSocketPlaceholder); }

std::string problem_of_upstream_template(std::string_view url) {
  const std::string with_port = replace_all(url, kPortPlaceholder, "65535");
  return problem_of_upstream_url(replace_all(with_port, kSocketPlaceholder, "/s"));
}

Result<std::uint16_t> find_free_port() {
  std::random_device random;
  std::uniform_int_distribution<std::uint16_t> any_of_ours(kFirstPort, kLastPort);
  for (int i = 0; i < kTries; ++i) {
    if (const auto port = bind_for_a_moment(any_of_ours(random))) return port;
  }
  return bind_for_a_moment(0);
}

Result<UpstreamPlace> place_upstream(std::string_view url, SpawnRequest command, const std::string& socket_path) {
  std::string placed(url);
  if (has(placed, kPortPlaceholder)) {
    const auto port = find_free_port();
    if (!port) return port.error();
    placed = replace_all(placed, kPortPlaceholder, std::to_string(*port));
  }
  placed = replace_all(placed, kSocketPlaceholder, socket_path);
  auto where = parse_upstream_url(placed);
  if (!where) return where.error();

  const std::string port = std::to_string(where->port);
  for (std::string& word : command.argv)
    word = where->is_unix() ? replace_all(word, kSocketPlaceholder, where->socket)
                            : replace_all(word, kPortPlaceholder, port);
  std::erase_if(command.environment, [](const std::string& entry) { return entry.starts_with(kPortVariable); });
  if (!where->is_unix()) command.environment.push_back(std::string(kPortVariable) + port);
  return UpstreamPlace{std::move(*where), std::move(command)};
}

}  // namespace fwd
