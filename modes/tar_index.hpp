#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modes/tar_reader.hpp"

namespace fwd {

/// The names in an archive and where their contents are. Links are followed as in a folder: below the root, 40 at the
/// most.
/// Limits: a million members, 64 MiB of names. An entry takes about 150 bytes and its name; contents are not held.
class TarIndex {
 public:
  /// What a path leads to. For a folder, `path` has no links left in it.
  struct Place {
    const TarMember* file = nullptr;  // none: a folder
    std::string path{};
  };

  /// Goes through the archive once. Names lose `./` and slashes in front; a member with `..` in its name is left out.
  /// Of two members with one name the later counts.
  static TarResult<TarIndex> read(int fd, std::uint64_t archive_bytes);

  /// Errors: ENOENT, ENOTDIR, EXDEV (a link that leads out), ELOOP, ENAMETOOLONG.
  Result<Place> find(std::string_view path) const;

  /// As FileSource::list().
  Result<std::vector<FolderEntry>> list(std::string_view path) const;

  std::size_t size() const { return members_.size(); }

 private:
  using Iterator = std::vector<TarMember>::const_iterator;

  Iterator lower_bound(std::string_view path) const;
  const TarMember* find_member(std::string_view path) const;
  bool is_folder(const std::string& path) const;

  std::vector<TarMember> members_;  // sorted by path; paths and hard links' targets are normal
};

/// `./a//b/` as `a/b`; nothing if there is a `..` in it.
std::optional<std::string> normal_tar_path(std::string_view path);

}  // namespace fwd
