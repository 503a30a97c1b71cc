#pragma once

#include "watchdog/base/duplex.hpp"
#include "watchdog/server/connection.hpp"

namespace fwd {

/// A client's connection after an upgrade: bytes both ways. What was read ahead comes first.
class ClientStream final : public Duplex {
 public:
  /// `connection` outlives this.
  explicit ClientStream(Connection& connection) : connection_(connection) {}

  /// Errors: client_gone.
  Task<Result<std::string_view>> read() override;
  Task<Error> write(std::string_view bytes) override;
  void end_writing() override { connection_.end_writing(); }
  void close() override { connection_.close(); }

 private:
  Connection& connection_;
  std::size_t taken_ = 0;  // bytes of the input that the last read gave out
};

}  // namespace fwd
