#include "watchdog/server/client_stream.hpp"

#include <utility>

namespace fwd {

Task<Result<std::string_view>> ClientStream::read() {
  connection_.consume(std::exchange(taken_, 0));
  if (connection_.input().empty()) {
    const Error error = co_await connection_.more();
    if (error && connection_.at_end()) co_return std::string_view{};
    if (error) co_return error;
  }
  taken_ = connection_.input().size();
  co_return connection_.input();
}

Task<Error> ClientStream::write(std::string_view bytes) {
  const std::string_view pieces[] = {bytes};
  co_return co_await connection_.write(pieces);
}

}  // namespace fwd
