#pragma once

#include <memory>
#include <string>

#include "modes/file_source.hpp"
#include "modes/tar_index.hpp"

namespace fwd {

/// The files of an uncompressed tar archive, which stays open. It must not be changed meanwhile; replacing it by a new
/// one is harmless, and seen at the next start.
class ArchiveSource final : public FileSource {
 public:
  /// `identity` tells versions of the archive from each other.
  ArchiveSource(UniqueFd archive, std::uint64_t identity, TarIndex index)
      : archive_(std::move(archive)), identity_(identity), index_(std::move(index)) {}

  /// Opens the archive and makes its index.
  /// Errors: the system's; invalid_value for a malformed archive. `reason` then says what is wrong, and where.
  static Result<std::unique_ptr<ArchiveSource>> open(const std::string& path, std::string& reason);

  Result<FoundFile> find(const std::string& path) const override;
  Result<std::vector<FolderEntry>> list(const std::string& path) const override { return index_.list(path); }

 private:
  UniqueFd archive_;
  std::uint64_t identity_;
  TarIndex index_;
};

}  // namespace fwd
