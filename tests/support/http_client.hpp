#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fwd::test {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// One answer as it came.
struct HttpAnswer {
  std::string version;  ///< "HTTP/1.1"
  int status = 0;
  std::string reason;
  Fields headers;        ///< in order, spelt as they came
  std::string raw_head;  ///< with its empty line
  std::string body;      ///< without chunk framing

  /// The first field called `name`, in any case.
  std::optional<std::string> header(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
};

/// A blocking HTTP/1 client on one connection to 127.0.0.1, for tests that look at every byte.
/// Errors: find_answer gives nothing when the connection ends or times out before the answer is complete; last_error()
///         tells which. Nothing throws but the constructor, if it cannot connect.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port, std::chrono::milliseconds timeout = std::chrono::milliseconds(30'000));
  ~HttpClient();
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&& other) noexcept;

  /// False if the peer takes no more.
  bool send(std::string_view bytes);

  /// The next answer, 1xx ones too. `to_head` as the answer to HEAD has no body.
  std::optional<HttpAnswer> find_answer(bool to_head = false);

  /// Sends one request with a Content-Length if it has a body, and reads the final answer.
  std::optional<HttpAnswer> ask(std::string_view method, std::string_view target, std::string_view body = {},
                                const Fields& fields = {});

  /// Bytes as they come, until there are `count` or the connection ends or times out.
  std::string read_bytes(std::size_t count);
  /// Everything until the peer closes; nothing if it does not in time.
  std::optional<std::string> read_to_end();
  /// True if the peer closes without sending another byte.
  bool closed_by_peer();

  void shut_down_sending();
  /// Closes with a reset, as a client that vanishes does.
  void reset();

  const std::string& last_error() const { return error_; }

 private:
  bool read_more();
  bool read_until(std::size_t count);
  std::optional<std::string> take_line();
  bool read_body(HttpAnswer& answer);
  bool read_chunks(HttpAnswer& answer);

  int socket_ = -1;
  std::string buffer_;
  std::string error_;
  bool ended_ = false;
};

/// A request as bytes; a Content-Length is added when there is a body, and for POST, PUT and PATCH.
std::string render_request(std::string_view method, std::string_view target, std::string_view body = {},
                           const Fields& fields = {}, std::string_view version = "HTTP/1.1");

/// One request on a connection of its own; nothing if there is no complete answer.
std::optional<HttpAnswer> try_request(std::uint16_t port, std::string_view method, std::string_view target,
                                      std::string_view body = {}, const Fields& fields = {});

/// The same for tests that need the answer: a status of 0 and the error as the body if there is none.
HttpAnswer request(std::uint16_t port, std::string_view method, std::string_view target, std::string_view body = {},
                   const Fields& fields = {});

}  // namespace fwd::test
