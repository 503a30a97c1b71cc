#include "modes/folder_source.hpp"

#include <algorithm>
#include <cerrno>
#include <dirent.h>
#include <memory>
#include <string_view>
#include <sys/stat.h>

namespace fwd {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { (void)::closedir(folder); }
};

/// A client could not ask for it.
bool is_hidden(std::string_view name) {
  return name.starts_with('.') || name.find('\\') != std::string_view::npos;
}

}  // namespace

Result<FoundFile> FolderSource::find(const std::string& path) const {
  auto opened = root_.open(path);
  if (!opened) return opened.error();
  struct stat status {};
  if (::fstat(opened->get(), &status) != 0) return system_error(errno);
  const bool folder = S_ISDIR(status.st_mode);
  if (!folder && !S_ISREG(status.st_mode)) return system_error(ENOENT);
  FoundFile found{.kind = folder ? FoundFile::Kind::folder : FoundFile::Kind::file};
  found.own = std::move(*opened);
  found.fd = found.own.get();
  found.size = static_cast<std::uint64_t>(status.st_size);
  found.modified = {status.st_mtim.tv_sec, static_cast<std::uint32_t>(status.st_mtim.tv_nsec)};
  found.identity = status.st_ino;
  return found;
}

Result<std::vector<FolderEntry>> FolderSource::list(const std::string& path) const {
  auto opened = root_.open(path);
  if (!opened) return opened.error();
  const std::unique_ptr<DIR, CloseFolder> folder(::fdopendir(opened->get()));
  if (!folder) return system_error(errno);
  (void)opened->release();  // closedir() closes it
  std::vector<FolderEntry> entries;
  while (const dirent* entry = ::readdir(folder.get())) {
    if (is_hidden(entry->d_name)) continue;
    if (entries.size() == kMostListed) break;
    bool is_folder = entry->d_type == DT_DIR;
    if (!is_folder && entry->d_type != DT_REG) {  // a link, or a file system that does not tell
      const auto target = find(path.empty() ? entry->d_name : path + "/" + entry->d_name);
      if (!target) continue;
      is_folder = target->kind == FoundFile::Kind::folder;
    }
    entries.push_back({.name = entry->d_name, .folder = is_folder});
  }
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

}  // namespace fwd
