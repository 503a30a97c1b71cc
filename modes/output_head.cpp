#include "modes/output_head.hpp"

#include <algorithm>

namespace fwd {

Error OutputHead::feed(std::string_view bytes) {
  const auto verdict = cgi_->feed(bytes);
  return verdict ? Error{} : verdict.error();
}

void OutputHead::end() {
  if (!decided()) (void)cgi_->end();  // decided() tells
}

Answer OutputHead::answer(std::optional<std::uint64_t> length) {
  Answer answer{.length = length};
  fields_.clear();
  if (cgi_ && cgi_->verdict() == CgiResponse::Verdict::block) {
    answer.status = cgi_->status();
    answer.reason = cgi_->reason();
    fields_.assign(cgi_->fields().begin(), cgi_->fields().end());
  }
  const bool has_type =
      std::ranges::any_of(fields_, [](const Field& field) { return same_name(field.name, "Content-Type"); });
  if (!has_type && !content_type_.empty()) fields_.push_back({"Content-Type", content_type_});
  fields_.insert(fields_.end(), extra_.begin(), extra_.end());
  answer.fields = fields_;
  return answer;
}

}  // namespace fwd
