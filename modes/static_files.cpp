#include "modes/static_files.hpp"

#include "modes/archive_source.hpp"
#include "modes/folder_source.hpp"
#include "modes/static_call.hpp"
#include "watchdog/http/field.hpp"

namespace fwd {
namespace {

constexpr std::size_t kMostSpare = 32;  // calls with a buffer of 64 KiB each, of which only what was used is resident

}  // namespace

StaticFiles::StaticFiles(StaticOptions options) : options_(std::move(options)) {}

StaticFiles::~StaticFiles() = default;

Error StaticFiles::start() {
  if (!is_field_value(options_.cache_control)) {
    start_error_ = "cache_control: a control character cannot stand in a field";
    return Errc::invalid_value;
  }
  return options_.archive.empty() ? open_root() : open_archive();
}

Error StaticFiles::open_root() {
  auto root = Beneath::open_root(options_.root);
  if (!root) {
    start_error_ = "static_path=" + options_.root + ": " + root.error().message();
    return root.error();
  }
  source_ = std::make_unique<FolderSource>(std::move(*root));
  return {};
}

Error StaticFiles::open_archive() {
  std::string reason;
  auto archive = ArchiveSource::open(options_.archive, reason);
  if (!archive) {
    start_error_ = "static_archive=" + options_.archive + ": " + reason;
    return archive.error();
  }
  source_ = std::move(*archive);
  return {};
}

Task<Error> StaticFiles::serve(Exchange& exchange) {
  auto call = take_call();
  const Error error = co_await call->answer(exchange);
  give_back(std::move(call));
  co_return error;
}

std::unique_ptr<StaticCall> StaticFiles::take_call() {
  if (spare_.empty()) return std::make_unique<StaticCall>(options_, *source_);
  auto call = std::move(spare_.back());
  spare_.pop_back();
  return call;
}

void StaticFiles::give_back(std::unique_ptr<StaticCall> call) {
  call->reset();
  if (spare_.size() < kMostSpare) spare_.push_back(std::move(call));
}

}  // namespace fwd
