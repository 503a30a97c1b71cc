#include "modes/upstream_place.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "watchdog/base/fd.hpp"

namespace fwd {
namespace {

constexpr std::string_view kPortVariable = "PORT=";

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

}  // namespace

bool has_placeholder(std::string_view url) { return has(url, kPortPlaceholder) || has(url, kSocketPlaceholder); }

std::string problem_of_upstream_template(std::string_view url) {
  const std::string with_port = replace_all(url, kPortPlaceholder, "65535");
  return problem_of_upstream_url(replace_all(with_port, kSocketPlaceholder, "/s"));
}

Result<std::uint16_t> find_free_port() {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return system_error(errno);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd.get(), any, size) != 0 || ::getsockname(fd.get(), any, &size) != 0) return system_error(errno);
  return ntohs(address.sin_port);
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
