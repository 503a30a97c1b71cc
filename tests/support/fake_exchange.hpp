#pragma once

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "watchdog/exchange.hpp"

namespace fwd::test {

/// One request for a mode, without a connection; it keeps what the mode answers.
class FakeExchange final : public Exchange, private BodySource, private BodySink {
 public:
  /// `fields` are whole lines, each with its CR LF; `body` is sent with its length if it is not empty.
  FakeExchange(std::string_view method, std::string_view target, std::string_view fields = {},
               std::string_view body = {})
      : body_(body) {
    std::string head =
        std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(fields);
    if (!body.empty()) head += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    const Error error = request_.assign(head + "\r\n", RequestLimits{});
    EXPECT_FALSE(error) << error.message() << " for " << head;
  }

  // What the client got.
  int status() const { return status_; }
  const std::vector<std::pair<std::string, std::string>>& fields() const { return fields_; }
  std::optional<std::uint64_t> announced() const { return announced_; }  ///< the answer's length
  const std::string& text() const { return sent_; }
  bool finished() const { return finished_; }
  int responses() const { return responses_; }
  /// By write_file().
  std::uint64_t bytes_by_file() const { return bytes_by_file_; }

  /// The first field of this name; empty: none.
  std::string field(std::string_view name) const {
    for (const auto& [known, value] : fields_)
      if (same_name(known, name)) return value;
    return {};
  }

  /// The client leaves: writes fail from now on.
  void leave() {
    gone_ = true;
    if (const auto call = std::exchange(when_gone_, {})) call();
  }

  const RequestHead& request() const override { return request_; }
  BodySource& body() override { return *this; }
  BodySink& respond(const Answer& answer) override {
    EXPECT_FALSE(responded_) << "a second answer behind the head of the first";
    ++responses_;
    status_ = answer.status;
    announced_ = answer.length;
    fields_.clear();
    for (const Field& field : answer.fields) fields_.emplace_back(field.name, field.value);
    return *this;
  }
  bool responded() const override { return responded_; }
  bool client_gone() const override { return gone_; }
  void watch_client(std::function<void()> gone) override { when_gone_ = std::move(gone); }
  Task<Error> inform(const Answer&) override { co_return Error{}; }
  Task<Result<Duplex*>> upgrade(const Answer&) override { co_return Errc::client_gone; }
  const Peer& peer() const override { return peer_; }
  std::string_view traceparent() const override { return {}; }
  Deadline deadline() const override { return kNever; }
  Timing& timing() override { return timing_; }

 private:
  std::optional<std::uint64_t> length() const override { return request_.content_length(); }
  Task<Result<std::string_view>> next() override { co_return std::exchange(body_, std::string_view{}); }

  Task<Error> write(std::string_view piece) override { return take(piece); }

  Task<Error> write_file(int fd, std::uint64_t offset, std::uint64_t count) override {
    std::string piece(static_cast<std::size_t>(count), '\0');
    const ssize_t got = ::pread(fd, piece.data(), piece.size(), static_cast<off_t>(offset));
    piece.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    bytes_by_file_ += piece.size();
    Error error = co_await take(piece);
    if (!error && piece.size() < count) error = Errc::worker_protocol;
    co_return error;
  }

  Task<Error> finish(std::string_view last) override {
    const Error error = co_await take(last);
    const bool has_body = request_.method() != "HEAD" && status_ != 304 && status_ != 204;
    finished_ = !error && (!has_body || !announced_ || sent_.size() == *announced_);
    co_return finished_ || error ? error : Error(Errc::worker_protocol);
  }

  Task<Error> take(std::string_view piece) {
    responded_ = true;
    if (gone_) co_return Errc::client_gone;
    sent_ += piece;
    co_return Error{};
  }

  RequestHead request_;
  std::string_view body_;
  int status_ = 0;
  int responses_ = 0;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::optional<std::uint64_t> announced_;
  std::string sent_;
  std::uint64_t bytes_by_file_ = 0;
  std::function<void()> when_gone_;
  Peer peer_{.address = "127.0.0.1", .port = 50'000, .local_port = 8080};
  Timing timing_;
  bool responded_ = false;
  bool finished_ = false;
  bool gone_ = false;
};

}  // namespace fwd::test
