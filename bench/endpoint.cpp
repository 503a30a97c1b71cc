#include "bench/endpoint.hpp"

#include <cstring>
#include <memory>
#include <netdb.h>

namespace fwd::bench {

Endpoint resolve(const std::string& host, std::uint16_t port, std::string& problem) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  Endpoint endpoint;
  if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list); code != 0) {
    problem = ::gai_strerror(code);
    return endpoint;
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, ::freeaddrinfo);
  for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_addrlen > sizeof(sockaddr_storage)) continue;
    Address& address = endpoint.addresses.emplace_back();
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.length = entry->ai_addrlen;
  }
  if (endpoint.addresses.empty()) problem = "no address";
  return endpoint;
}

}  // namespace fwd::bench
