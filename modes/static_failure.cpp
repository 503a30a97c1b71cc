#include "modes/static_failure.hpp"

#include <array>
#include <cerrno>

namespace fwd {
namespace {

std::string_view text_of(int status) {
  switch (status) {
    case 400:
      return "the path has a malformed escape\n";
    case 403:
      return "the file may not be read\n";
    case 404:
      return "404 page not found\n";  // as an old watchdog says it
    case 405:
      return "files take GET and HEAD only\n";
    case 412:
      return "the file is not in the state that was asked for\n";
    case 416:
      return "the file has no such range\n";
    case 503:
      return "too many files are open\n";
    default:
      return "\n";
  }
}

}  // namespace

std::optional<int> file_status(const Error& error) {
  if (error.category() != boost::system::system_category()) return std::nullopt;
  switch (error.value()) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case EXDEV:
    case ENAMETOOLONG:
    case EINVAL:  // a name that the file system cannot hold
    case EILSEQ:
    case ENXIO:  // a socket, or a device without a driver
    case ENODEV:
      return 404;
    case EACCES:
    case EPERM:
      return 403;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return 503;
    default:
      return std::nullopt;
  }
}

Task<Error> answer_failure(Exchange& exchange, int status, const Field& extra) {
  const std::string_view text = text_of(status);
  const Field more = status == 405 ? Field{"Allow", "GET, HEAD"} : status == 503 ? Field{"Retry-After", "1"} : extra;
  const std::array<Field, 3> fields{
      {{"Content-Type", "text/plain; charset=utf-8"}, {"X-OpenFaaS-Internal", "of-watchdog"}, more}};
  const std::span<const Field> used(fields.data(), more.name.empty() ? 2 : 3);
  const Answer answer{.status = status, .fields = used, .length = text.size()};
  return exchange.respond(answer).finish(text);
}

}  // namespace fwd
