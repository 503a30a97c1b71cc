#include "modes/archive_source.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

namespace fwd {
namespace {

/// Spreads a number over all bits and adds it to others. Source: FNV-1a, on whole words.
std::uint64_t mixed(std::uint64_t sum, std::uint64_t number) {
  return (sum ^ number) * 0x100000001B3;
}

std::uint64_t identity_of(const struct stat& status) {
  std::uint64_t sum = mixed(0xCBF29CE484222325, status.st_ino);
  sum = mixed(sum, static_cast<std::uint64_t>(status.st_size));
  sum = mixed(sum, static_cast<std::uint64_t>(status.st_mtim.tv_sec));
  return mixed(sum, static_cast<std::uint64_t>(status.st_mtim.tv_nsec));
}

}  // namespace

Result<std::unique_ptr<ArchiveSource>> ArchiveSource::open(const std::string& path, std::string& reason) {
  struct stat status {};
  UniqueFd archive(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  const bool opened = archive && ::fstat(archive.get(), &status) == 0;
  const Error error = !opened ? system_error(errno) : !S_ISREG(status.st_mode) ? Error(Errc::invalid_value) : Error{};
  if (error) {
    reason = opened ? "it is no file" : error.message();
    return error;
  }
  auto index = TarIndex::read(archive.get(), static_cast<std::uint64_t>(status.st_size));
  if (!index) {
    reason = "at byte " + std::to_string(index.error().offset) + ": " + index.error().what;
    return Error(Errc::invalid_value);
  }
  return std::make_unique<ArchiveSource>(std::move(archive), identity_of(status), std::move(*index));
}

Result<FoundFile> ArchiveSource::find(const std::string& path) const {
  const auto place = index_.find(path);
  if (!place) return place.error();
  FoundFile found{.kind = FoundFile::Kind::folder};
  if (place->file == nullptr) return found;
  found.kind = FoundFile::Kind::file;
  found.fd = archive_.get();
  found.offset = place->file->offset;
  found.size = place->file->size;
  found.modified = place->file->modified;
  found.identity = mixed(identity_, found.offset);
  return found;
}

}  // namespace fwd
