#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <vector>

namespace fwd::bench {

/// An address to connect to.
struct Address {
  sockaddr_storage storage{};
  socklen_t length = 0;

  int family() const { return storage.ss_family; }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

/// All addresses of a host. `localhost` is often ::1 first, where nobody may listen: each is tried in turn
/// until one has taken a connection, and that one serves the rest of the run.
struct Endpoint {
  std::vector<Address> addresses;
  std::size_t preferred = 0;
  bool proven = false;

  /// The host has answered at this address: the others are not tried any more.
  void prove(std::size_t index) {
    preferred = index;
    proven = true;
  }
  /// How many addresses a request may try.
  std::size_t candidates() const { return proven ? 1 : addresses.size(); }
  std::size_t candidate(std::size_t attempt) const { return (preferred + attempt) % addresses.size(); }
};

/// Asks the resolver; blocks. Returns no address and the reason in `problem` when there is none.
Endpoint resolve(const std::string& host, std::uint16_t port, std::string& problem);

}  // namespace fwd::bench
