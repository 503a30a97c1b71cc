#include "modes/static_call.hpp"

#include <array>
#include <cerrno>

#include "modes/folder_page.hpp"
#include "modes/static_failure.hpp"
#include "modes/static_path.hpp"

namespace fwd {
namespace {

constexpr std::string_view kIndex = "index.html";

Task<Error> failed(Error error) {
  co_return error;
}

/// What stands behind the last slash.
std::string_view last_component(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // 0 without a slash
}

}  // namespace

Task<Error> StaticCall::answer(Exchange& exchange) {
  const RequestHead& request = exchange.request();
  if (request.method() != "GET" && request.method() != "HEAD") return answer_failure(exchange, 405);
  switch (decode_path(request.path(), path_)) {
    case PathKind::malformed:
      return answer_failure(exchange, 400);
    case PathKind::nothing:
      return answer_failure(exchange, 404);
    case PathKind::folder:
      return answer_folder(exchange);
    case PathKind::file:
      break;
  }
  if (last_component(path_) == kIndex) return redirect(exchange, "./");
  return answer_path(exchange);
}

/// A path without a slash at its end.
Task<Error> StaticCall::answer_path(Exchange& exchange) {
  auto found = source_.find(path_);
  if (!found) return answer_error(exchange, found.error());
  if (found->kind == FoundFile::Kind::folder) return redirect_to_folder(exchange);
  return send(exchange, std::move(*found));
}

Task<Error> StaticCall::answer_folder(Exchange& exchange) {
  const auto size = path_.size();
  if (size != 0) path_ += '/';
  path_ += kIndex;
  auto found = source_.find(path_);
  if (found && found->kind == FoundFile::Kind::file) return send(exchange, std::move(*found));
  if (!found && file_status(found.error()) != 404) return answer_error(exchange, found.error());
  path_.resize(size);
  return options_.listing ? answer_listing(exchange) : answer_failure(exchange, 404);
}

Task<Error> StaticCall::answer_listing(Exchange& exchange) {
  const auto entries = source_.list(path_);
  if (!entries) return answer_error(exchange, entries.error());
  text_ = folder_page(*entries);
  const std::array<Field, 2> fields{
      {{"Content-Type", "text/html; charset=utf-8"}, {"X-Content-Type-Options", "nosniff"}}};
  return exchange.respond({.status = 200, .fields = fields, .length = text_.size()}).finish(text_);
}

Task<Error> StaticCall::answer_error(Exchange& exchange, const Error& error) {
  const auto status = file_status(error);
  return status ? answer_failure(exchange, *status) : failed(error);
}

/// The place is relative, so it is right whatever stands before us. The query stays.
Task<Error> StaticCall::redirect(Exchange& exchange, std::string_view to) {
  text_ = to;
  if (const std::string_view query = exchange.request().query(); !query.empty()) {
    text_ += '?';
    text_ += query;
  }
  const std::array<Field, 1> fields{{{"Location", text_}}};
  return exchange.respond({.status = 301, .fields = fields, .length = 0}).finish({});
}

Task<Error> StaticCall::redirect_to_folder(Exchange& exchange) {
  std::string place;
  append_path_escaped(place, last_component(path_));
  return redirect(exchange, place + "/");
}

/// Sends the compressed copy beside the file instead, if there is one that the client prefers.
Task<Error> StaticCall::send(Exchange& exchange, FoundFile found) {
  FileAnswer::Subject subject{.file = std::move(found), .type = mime_type_of(path_)};
  if (subject.type.compressible) {
    const auto size = path_.size();
    for (const ContentCoding coding : wanted_codings(exchange.request())) {
      path_ += suffix_of(coding);
      auto coded = source_.find(path_);
      path_.resize(size);
      if (!coded || coded->kind != FoundFile::Kind::file) continue;
      subject.file = std::move(*coded);
      subject.coding = coding;
      break;
    }
  }
  return file_.send(exchange, std::move(subject), options_.cache_control);
}

}  // namespace fwd
