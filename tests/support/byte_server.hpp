#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace fwd::test {

/// One thing that a ByteServer does with a connection. What is left of a script's connection at its end is closed.
struct Act {
  enum class Kind { read_request, send, dribble, stall, reset };
  Kind kind;
  std::string bytes = {};
};

/// Reads one request, by its head and Content-Length; the connection is closed if the client sends no more.
inline Act read_request() {
  return {Act::Kind::read_request};
}
inline Act send(std::string_view bytes) {
  return {Act::Kind::send, std::string(bytes)};
}
/// Sends one byte every 2 ms.
inline Act dribble(std::string_view bytes) {
  return {Act::Kind::dribble, std::string(bytes)};
}
/// Does nothing until the client or the server goes.
inline Act stall() {
  return {Act::Kind::stall};
}
/// Closes with a reset.
inline Act reset() {
  return {Act::Kind::reset};
}

using Script = std::vector<Act>;

/// A server on 127.0.0.1 that does what it is told, byte for byte, right or wrong.
/// Shape: connection number i plays script i, every later one the last script. One thread accepts, one serves each
/// connection;
///        all end with the server.
class ByteServer {
 public:
  explicit ByteServer(std::vector<Script> scripts);
  ~ByteServer();
  ByteServer(const ByteServer&) = delete;
  ByteServer& operator=(const ByteServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(std::string_view host = "127.0.0.1") const {
    return "http://" + std::string(host) + ':' + std::to_string(port_) + '/';
  }

  /// The requests read so far, in the order of their ends.
  std::vector<std::string> requests() const;
  /// Waits until `count` requests have been read. False after `budget`.
  bool wait_for_requests(std::size_t count, std::chrono::milliseconds budget = std::chrono::seconds(10)) const;
  std::size_t connections() const { return accepted_; }

 private:
  void accept_all();
  void play(int connection, const Script& script);
  bool do_act(int connection, const Act& act, std::string& unread);
  bool read_one(int connection, std::string& unread);
  bool readable(int connection, short events, int timeout_ms) const;

  std::vector<Script> scripts_;
  std::uint16_t port_ = 0;
  int listener_ = -1;
  int stop_event_ = -1;  // readable once everything is to end
  std::atomic<std::size_t> accepted_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable grown_;
  std::vector<std::string> requests_;
  std::vector<std::thread> threads_;  // of the connections; only the accepting thread adds to it
  std::thread acceptor_;
};

/// A port of 127.0.0.1 on which nobody listens, and nobody will while this lives.
class ClosedPort {
 public:
  ClosedPort();
  ~ClosedPort();
  ClosedPort(const ClosedPort&) = delete;
  ClosedPort& operator=(const ClosedPort&) = delete;
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + '/'; }

 private:
  std::uint16_t port_ = 0;
  int socket_ = -1;
};

}  // namespace fwd::test
