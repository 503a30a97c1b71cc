// Archives: whatever is in them, every file lies inside, and every path and listing comes to an end.
#include <algorithm>
#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "modes/tar_index.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace fwd {
namespace {

/// Gives every block the checksum that it needs as a header, or no archive would get past its first byte.
std::string with_checksums(std::string_view text) {
  std::string archive(text);
  archive.resize((archive.size() + kTarBlock - 1) / kTarBlock * kTarBlock, '\0');
  for (std::size_t at = 0; at < archive.size(); at += kTarBlock) {
    const auto block = archive.begin() + static_cast<std::ptrdiff_t>(at);
    if (std::all_of(block, block + kTarBlock, [](char c) { return c == '\0'; })) continue;
    std::fill(block + 148, block + 156, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < kTarBlock; ++i) sum += static_cast<unsigned char>(archive[at + i]);
    char digits[8];
    (void)std::snprintf(digits, sizeof digits, "%06o", sum);
    std::copy(digits, digits + 7, block + 148);
  }
  return archive + std::string(kTarBlock, '\0');
}

void walk(const TarIndex& index, const std::string& folder, std::uint64_t size, int depth) {
  const auto entries = index.list(folder);
  if (!entries || depth == 0) return;
  for (const FolderEntry& entry : *entries) {
    const std::string path = folder.empty() ? entry.name : folder + "/" + entry.name;
    const auto place = index.find(path);
    require(place.has_value(), "what is listed is there");
    require(entry.folder == (place->file == nullptr), "and is what it is said to be");
    if (place->file == nullptr) {
      walk(index, path, size, depth - 1);
    } else {
      require(place->file->offset <= size && place->file->size <= size - place->file->offset, "inside the archive");
    }
  }
}

}  // namespace
}  // namespace fwd

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fwd;
  static const int archive_fd = ::memfd_create("archive", MFD_CLOEXEC);
  const std::string archive = with_checksums(as_text(data, size));
  require(::ftruncate(archive_fd, 0) == 0, "emptied");
  require(::pwrite(archive_fd, archive.data(), archive.size(), 0) == static_cast<ssize_t>(archive.size()), "written");
  const auto index = TarIndex::read(archive_fd, archive.size());
  if (!index) {
    require(index.error().offset <= archive.size() && !index.error().what.empty(), "the fault has a place and a name");
    return 0;
  }
  walk(*index, "", archive.size(), 3);
  return 0;
}
