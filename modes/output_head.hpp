#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "watchdog/exchange.hpp"
#include "watchdog/http/cgi_response.hpp"

namespace fwd {

/// The head of the answer that a process's output makes: by the CGI header block at its front, or as configured.
class OutputHead {
 public:
  /// `content_type` for output that names none itself; may be empty. It outlives this.
  OutputHead(bool cgi_response, std::string_view content_type) : content_type_(content_type) {
    if (cgi_response) cgi_.emplace();
  }

  /// Whether more of the output is needed to know the head.
  bool decided() const { return !cgi_ || cgi_->verdict() != CgiResponse::Verdict::undecided; }

  /// Takes the next piece of the output; only while undecided.
  /// Errors: worker_protocol.
  Error feed(std::string_view bytes);

  /// The output has ended.
  void end();

  /// What was fed and is body.
  std::string_view body() const { return cgi_ ? cgi_->body() : std::string_view{}; }

  /// One more field of ours; its text outlives this.
  void add(const Field& field) { extra_.push_back(field); }

  /// The head; its views live as long as this.
  Answer answer(std::optional<std::uint64_t> length);

 private:
  std::string_view content_type_;
  std::optional<CgiResponse> cgi_;
  std::vector<Field> extra_;
  std::vector<Field> fields_;
};

}  // namespace fwd
