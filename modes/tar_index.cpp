#include "modes/tar_index.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>

#include "modes/static_path.hpp"

namespace fwd {
namespace {

constexpr int kMostLinks = 40;  // as the kernel
constexpr std::size_t kMostMembers = 1'000'000;
constexpr std::size_t kMostNameBytes = 64 * 1024 * 1024;

using Kind = TarMember::Kind;

/// Puts what a link says before the rest of the path; `at` is the folder that the link stands in.
Error follow(const TarMember& link, std::string& at, std::string& rest) {
  if (link.target.starts_with('/')) return system_error(EXDEV);
  if (link.target.empty()) return system_error(ENOENT);
  rest = rest.empty() ? link.target : link.target + "/" + rest;
  if (link.kind == Kind::hard_link) at.clear();
  return rest.size() < PATH_MAX ? Error{} : system_error(ENAMETOOLONG);
}

bool is_hidden(std::string_view name) {
  return name.starts_with('.') || name.find_first_of(std::string_view("\\\0", 2)) != std::string_view::npos;
}

/// False for a member that can never be asked for.
bool make_normal(TarMember& member) {
  auto path = normal_tar_path(member.path);
  if (!path || path->empty()) return false;
  member.path = std::move(*path);
  if (member.kind != Kind::hard_link) return true;
  auto target = normal_tar_path(member.target);
  if (target) member.target = std::move(*target);
  return target.has_value();
}

/// Sorts by path, and keeps the last of equal ones.
void sort_last_wins(std::vector<TarMember>& members) {
  std::ranges::reverse(members);
  std::ranges::stable_sort(members, {}, &TarMember::path);
  const auto same_path = [](const TarMember& a, const TarMember& b) { return a.path == b.path; };
  members.erase(std::unique(members.begin(), members.end(), same_path), members.end());
  members.shrink_to_fit();
}

}  // namespace

std::optional<std::string> normal_tar_path(std::string_view path) {
  std::string normal;
  while (!path.empty()) {
    const auto end = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (component == "..") return std::nullopt;
    if (component.empty() || component == ".") continue;
    if (!normal.empty()) normal += '/';
    normal += component;
  }
  return normal;
}

TarResult<TarIndex> TarIndex::read(int fd, std::uint64_t archive_bytes) {
  TarReader reader(fd, archive_bytes);
  TarIndex index;
  std::size_t name_bytes = 0;
  for (;;) {
    auto member = reader.next();
    if (!member) return member.error();
    if (!*member) break;
    if (!make_normal(**member)) continue;
    name_bytes += (*member)->path.size() + (*member)->target.size();
    if (index.members_.size() == kMostMembers || name_bytes > kMostNameBytes)
      return TarFault((*member)->offset - kTarBlock, "the archive has more than a million members, or 64 MiB of names");
    index.members_.push_back(std::move(**member));
  }
  sort_last_wins(index.members_);
  return index;
}

TarIndex::Iterator TarIndex::lower_bound(std::string_view path) const {
  return std::ranges::lower_bound(members_, path, {},
                                  [](const TarMember& member) { return std::string_view(member.path); });
}

const TarMember* TarIndex::find_member(std::string_view path) const {
  const auto found = lower_bound(path);
  return found != members_.end() && found->path == path ? &*found : nullptr;
}

/// Also if nothing but what is in it has a header.
bool TarIndex::is_folder(const std::string& path) const {
  const TarMember* const member = find_member(path);
  if (member != nullptr && member->kind == Kind::folder) return true;
  const std::string prefix = path + "/";
  const auto first = lower_bound(prefix);
  return first != members_.end() && first->path.starts_with(prefix);
}

Result<TarIndex::Place> TarIndex::find(std::string_view path) const {
  const TarMember* const exact = find_member(path);
  if (exact != nullptr && exact->kind == Kind::file) return Place{.file = exact};
  std::string at, rest(path);
  for (int links = 0; !rest.empty();) {
    const std::string name = take_component(rest);
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      if (at.empty()) return system_error(EXDEV);
      at.resize(at.find('/') == std::string::npos ? 0 : at.rfind('/'));
      continue;
    }
    std::string next = at.empty() ? name : at + "/" + name;
    const TarMember* const member = find_member(next);
    const bool is_link = member != nullptr && (member->kind == Kind::symbolic_link || member->kind == Kind::hard_link);
    if (is_link) {
      if (++links > kMostLinks) return system_error(ELOOP);
      if (const Error error = follow(*member, at, rest)) return error;
    } else if (is_folder(next)) {
      at = std::move(next);
    } else if (member == nullptr) {
      return system_error(ENOENT);
    } else if (!rest.empty()) {
      return system_error(ENOTDIR);
    } else {
      return Place{.file = member};
    }
  }
  return Place{.path = std::move(at)};
}

Result<std::vector<FolderEntry>> TarIndex::list(std::string_view path) const {
  const auto place = find(path);
  if (!place) return place.error();
  if (place->file != nullptr) return system_error(ENOTDIR);
  const std::string prefix = place->path.empty() ? "" : place->path + "/";
  std::vector<FolderEntry> entries;
  auto member = lower_bound(prefix);
  while (member != members_.end() && member->path.starts_with(prefix) && entries.size() < kMostListed) {
    const std::string_view below = std::string_view(member->path).substr(prefix.size());
    const auto slash = below.find('/');
    const std::string name(below.substr(0, slash));
    const auto target = find(prefix + name);
    if (target && !is_hidden(name)) entries.push_back({.name = name, .folder = target->file == nullptr});
    member = slash == std::string_view::npos ? member + 1 : lower_bound(prefix + name + '0');  // behind `name/…`
  }
  std::ranges::sort(entries, {}, &FolderEntry::name);
  const auto same_name = [](const FolderEntry& a, const FolderEntry& b) { return a.name == b.name; };
  entries.erase(std::unique(entries.begin(), entries.end(), same_name), entries.end());  // `a`, `a-b`, `a/c`: a twice
  return entries;
}

}  // namespace fwd
