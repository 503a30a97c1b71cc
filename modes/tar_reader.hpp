#pragma once

#include "modes/tar_header.hpp"

namespace fwd {

/// One file, folder or link in an archive.
struct TarMember {
  enum class Kind { file, folder, symbolic_link, hard_link };
  Kind kind = Kind::file;
  std::string path;    // as in the archive
  std::string target;  // of a link; a hard link's is a path as in the archive
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  FileTime modified{};
};

/// Goes through an uncompressed archive from header to header, without reading the files in it.
/// Source: POSIX pax (ustar and extended headers); GNU tar's long names.
class TarReader {
 public:
  /// `size` is that of the archive. `fd` stays the caller's and is read with pread(2).
  TarReader(int fd, std::uint64_t size) : fd_(fd), size_(size) {}

  /// The next member; nothing at the end mark. Devices, fifos and other vendors' extras are skipped.
  /// Errors: a header that is none; an archive that is cut off, also one without an end mark; a sparse file, whose
  ///         contents are not in one piece; a name of more than 1 MiB; a read that fails.
  TarResult<std::optional<TarMember>> next();

 private:
  /// Reads one header and what belongs to it. Nothing if there is no member in it.
  TarResult<std::optional<TarMember>> read_one(const TarHeader& header);
  std::optional<std::string> read_extra(const TarHeader& header, std::uint64_t size);
  TarMember make_member(const TarHeader& header, std::uint64_t size);
  /// False at the end mark.
  TarResult<bool> read_block(TarBlock& block);

  int fd_;
  std::uint64_t size_;
  std::uint64_t at_ = 0;    // of the header that is being read
  TarOverrides all_;        // for every member from here on
  TarOverrides following_;  // for the next one alone
};

}  // namespace fwd
