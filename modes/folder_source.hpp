#pragma once

#include "modes/beneath.hpp"
#include "modes/file_source.hpp"

namespace fwd {

/// The files of a folder.
class FolderSource final : public FileSource {
 public:
  explicit FolderSource(Beneath root) : root_(std::move(root)) {}

  /// Three system calls for a file, the close included.
  Result<FoundFile> find(const std::string& path) const override;
  Result<std::vector<FolderEntry>> list(const std::string& path) const override;

 private:
  Beneath root_;
};

}  // namespace fwd
