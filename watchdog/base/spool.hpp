#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "watchdog/base/fd.hpp"

namespace fwd {

/// Where a spool may keep what does not fit into memory, and how much does.
struct SpoolOptions {
  std::size_t memory_bytes = 1024 * 1024;
  std::string directory = "/tmp";
};

/// Holds a body: in memory up to a limit, then in an unlinked file that nobody else can open and that goes with us.
class Spool {
 public:
  explicit Spool(const SpoolOptions& options) : options_(&options) {}  // `options` outlives the spool

  /// Errors: ENOSPC, EROFS, EMFILE and others of the file system.
  Error append(std::string_view bytes);

  /// Empty again; keeps its memory.
  void clear();

  std::uint64_t size() const { return size_; }
  bool in_memory() const { return !file_; }
  std::string_view memory() const { return memory_; }  // everything, while in_memory()

  /// Up to `limit` bytes from `offset`. The view is valid until the next call. Empty at the end.
  Result<std::string_view> read(std::uint64_t offset, std::size_t limit);

 private:
  Error open_file();
  Error write_file(std::string_view bytes);

  const SpoolOptions* options_;
  std::string memory_;  // the body, or once it is in the file, the piece that was read last
  UniqueFd file_;
  std::uint64_t size_ = 0;
};

}  // namespace fwd
