#include "tests/support/http_client.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace fwd::test {

namespace {

bool same_name(std::string_view left, std::string_view right) {
  return left.size() == right.size() && strncasecmp(left.data(), right.data(), left.size()) == 0;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return std::string(text);
}

std::optional<std::size_t> parse_number(std::string_view text, int base) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

int connect_to(std::uint16_t port, std::chrono::milliseconds timeout) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const timeval time{.tv_sec = timeout.count() / 1000, .tv_usec = timeout.count() % 1000 * 1000};
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return socket;
  const int error = errno;
  close(socket);
  throw std::runtime_error("connect: " + std::string(std::strerror(error)));
}

/// Status line and fields of a head that ends with its empty line; false if it is none.
bool parse_head(HttpAnswer& answer) {
  std::string_view rest = answer.raw_head;
  const std::string_view line = rest.substr(0, rest.find("\r\n"));
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ') return false;
  answer.version = line.substr(0, 8);
  const auto status = parse_number(line.substr(9, 3), 10);
  if (!status) return false;
  answer.status = static_cast<int>(*status);
  if (line.size() > 13) answer.reason = line.substr(13);
  rest.remove_prefix(line.size() + 2);
  while (!rest.starts_with("\r\n")) {
    const std::string_view field = rest.substr(0, rest.find("\r\n"));
    const std::size_t colon = field.find(':');
    if (colon == field.npos) return false;
    answer.headers.emplace_back(field.substr(0, colon), trimmed(field.substr(colon + 1)));
    rest.remove_prefix(field.size() + 2);
  }
  return true;
}

}  // namespace

std::optional<std::string> HttpAnswer::header(std::string_view name) const {
  for (const auto& [field, value] : headers) {
    if (same_name(field, name)) return value;
  }
  return std::nullopt;
}

std::vector<std::string> HttpAnswer::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [field, value] : headers) {
    if (same_name(field, name)) values.push_back(value);
  }
  return values;
}

HttpClient::HttpClient(std::uint16_t port, std::chrono::milliseconds timeout) : socket_(connect_to(port, timeout)) {}

HttpClient::~HttpClient() {
  if (socket_ >= 0) close(socket_);
}

HttpClient::HttpClient(HttpClient&& other) noexcept {
  *this = std::move(other);
}

HttpClient& HttpClient::operator=(HttpClient&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(buffer_, other.buffer_);
  std::swap(error_, other.error_);
  std::swap(ended_, other.ended_);
  return *this;
}

bool HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      error_ = "send: " + std::string(std::strerror(errno));
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool HttpClient::read_more() {
  std::array<char, 64 * 1024> piece;
  ssize_t count = 0;
  do {
    count = recv(socket_, piece.data(), piece.size(), 0);
  } while (count < 0 && errno == EINTR);
  if (count > 0) {
    buffer_.append(piece.data(), static_cast<std::size_t>(count));
    return true;
  }
  ended_ = count == 0;
  error_ = ended_ ? "the peer closed" : "recv: " + std::string(std::strerror(errno));
  return false;
}

bool HttpClient::read_until(std::size_t count) {
  while (buffer_.size() < count) {
    if (!read_more()) return false;
  }
  return true;
}

std::optional<HttpAnswer> HttpClient::find_answer(bool to_head) {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more()) return std::nullopt;
  }
  HttpAnswer answer;
  answer.raw_head = buffer_.substr(0, end + 4);
  buffer_.erase(0, end + 4);
  if (!parse_head(answer)) {
    error_ = "not an HTTP answer: " + answer.raw_head;
    return std::nullopt;
  }
  const bool bodiless = to_head || answer.status < 200 || answer.status == 204 || answer.status == 304;
  if (!bodiless && !read_body(answer)) return std::nullopt;
  return answer;
}

bool HttpClient::read_body(HttpAnswer& answer) {
  if (answer.header("Transfer-Encoding")) return read_chunks(answer);
  if (const auto text = answer.header("Content-Length")) {
    const auto length = parse_number(*text, 10);
    if (!length || !read_until(*length)) return false;
    answer.body = buffer_.substr(0, *length);
    buffer_.erase(0, *length);
    return true;
  }
  while (read_more()) {
  }
  answer.body = std::exchange(buffer_, {});
  return ended_;
}

std::optional<std::string> HttpClient::take_line() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n")) == std::string::npos) {
    if (!read_more()) return std::nullopt;
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 2);
  return line;
}

bool HttpClient::read_chunks(HttpAnswer& answer) {
  while (true) {
    const auto line = take_line();
    if (!line) return false;
    const auto length = parse_number(std::string_view(*line).substr(0, line->find(';')), 16);
    if (!length) {
      error_ = "not a chunk size: " + *line;
      return false;
    }
    if (*length == 0) break;
    if (!read_until(*length + 2)) return false;
    answer.body.append(buffer_, 0, *length);
    buffer_.erase(0, *length + 2);
  }
  auto trailer = take_line();
  while (trailer && !trailer->empty()) trailer = take_line();
  return trailer.has_value();
}

std::optional<HttpAnswer> HttpClient::ask(std::string_view method, std::string_view target, std::string_view body,
                                          const Fields& fields) {
  (void)send(render_request(method, target, body, fields));  // a refused body may still have its answer
  auto answer = find_answer(method == "HEAD");
  while (answer && answer->status < 200) answer = find_answer(method == "HEAD");
  return answer;
}

std::string HttpClient::read_bytes(std::size_t count) {
  (void)read_until(count);
  std::string bytes = buffer_.substr(0, count);
  buffer_.erase(0, bytes.size());
  return bytes;
}

std::optional<std::string> HttpClient::read_to_end() {
  while (read_more()) {
  }
  if (!ended_) return std::nullopt;
  return std::exchange(buffer_, {});
}

bool HttpClient::closed_by_peer() {
  const auto rest = read_to_end();
  return rest && rest->empty();
}

void HttpClient::shut_down_sending() {
  shutdown(socket_, SHUT_WR);
}

void HttpClient::reset() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  close(socket_);
  socket_ = -1;
}

std::string render_request(std::string_view method, std::string_view target, std::string_view body,
                           const Fields& fields, std::string_view version) {
  std::string text = std::string(method) + " " + std::string(target) + " " + std::string(version) + "\r\n";
  text += "Host: 127.0.0.1\r\n";
  for (const auto& [name, value] : fields) text += name + ": " + value + "\r\n";
  if (!body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text.append("\r\n").append(body);
}

std::optional<HttpAnswer> try_request(std::uint16_t port, std::string_view method, std::string_view target,
                                      std::string_view body, const Fields& fields) try {
  return HttpClient(port).ask(method, target, body, fields);
} catch (const std::runtime_error&) {
  return std::nullopt;
}

HttpAnswer request(std::uint16_t port, std::string_view method, std::string_view target, std::string_view body,
                   const Fields& fields) try {
  HttpClient client(port);
  auto answer = client.ask(method, target, body, fields);
  if (answer) return *std::move(answer);
  HttpAnswer none;
  none.body = client.last_error();
  return none;
} catch (const std::runtime_error& error) {
  HttpAnswer none;
  none.body = error.what();
  return none;
}

}  // namespace fwd::test
