#include "modes/tar_reader.hpp"

#include <algorithm>
#include <string_view>

#include "modes/read_at.hpp"

namespace fwd {
namespace {

constexpr std::uint64_t kMostExtra = 1024 * 1024;  // paths are 4 KiB at the most; extended attributes may be larger

/// Folders, links and devices have no data, whatever their header says.
bool has_data(char type) {
  return type < '1' || type > '6';
}

/// The end of the data at `begin`, rounded up to a block.
std::uint64_t next_header(std::uint64_t begin, std::uint64_t size) {
  return begin + (size + kTarBlock - 1) / kTarBlock * kTarBlock;
}

}  // namespace

TarResult<std::optional<TarMember>> TarReader::next() {
  TarBlock block;
  for (;;) {
    const auto more = read_block(block);
    if (!more) return more.error();
    if (!*more) return std::optional<TarMember>();
    TarHeader header;
    if (const auto wrong = read_tar_header(block, header)) return TarFault(at_, *wrong);
    auto member = read_one(header);
    if (!member || *member) return member;
  }
}

TarResult<bool> TarReader::read_block(TarBlock& block) {
  if (at_ == size_) return TarFault(at_, "the archive has no end mark: it is cut off");
  if (size_ - at_ < kTarBlock) return TarFault(at_, "the archive ends inside a header: it is cut off");
  if (const Error error = read_at(fd_, block.data(), block.size(), at_)) return TarFault(at_, error.message());
  return !is_zero_block(block);
}

TarResult<std::optional<TarMember>> TarReader::read_one(const TarHeader& header) {
  const bool is_extra = std::string_view("LKxXg").find(header.type) != std::string_view::npos;
  const auto other_size = following_.size ? following_.size : all_.size;
  const std::uint64_t size = !has_data(header.type) ? 0 : is_extra ? header.size : other_size.value_or(header.size);
  const std::uint64_t begin = at_ + kTarBlock;
  if (size > size_ - begin)
    return TarFault(at_, "\"" + following_.path.value_or(header.name) + "\" is longer than the archive: it is cut off");
  if (is_extra) {
    if (const auto wrong = read_extra(header, size)) return TarFault(at_, *wrong);
    at_ = std::min(next_header(begin, size), size_);
    return std::optional<TarMember>();
  }
  TarMember member = make_member(header, size);
  if (header.type == 'S' || all_.sparse || following_.sparse)
    return TarFault(at_, "\"" + member.path + "\" is stored as a sparse file, which cannot be served");
  const bool skipped = header.type != '\0' && std::string_view("01257").find(header.type) == std::string_view::npos;
  at_ = std::min(next_header(begin, size), size_);
  following_ = {};
  return skipped ? std::optional<TarMember>() : std::optional(std::move(member));
}

/// Long names and pax records.
std::optional<std::string> TarReader::read_extra(const TarHeader& header, std::uint64_t size) {
  if (size > kMostExtra) return "a name or a list of attributes is longer than 1 MiB";
  std::string text(static_cast<std::size_t>(size), '\0');
  if (const Error error = read_at(fd_, text.data(), text.size(), at_ + kTarBlock)) return error.message();
  if (header.type == 'g') return read_pax_records(text, all_);
  if (header.type == 'x' || header.type == 'X') return read_pax_records(text, following_);
  text.resize(std::min(text.find('\0'), text.size()));
  (header.type == 'L' ? following_.path : following_.link) = std::move(text);
  return std::nullopt;
}

TarMember TarReader::make_member(const TarHeader& header, std::uint64_t size) {
  TarMember member{
      .path = following_.path ? *following_.path : all_.path.value_or(header.name),
      .target = following_.link ? *following_.link : all_.link.value_or(header.link),
      .offset = at_ + kTarBlock,
      .size = size,
      .modified = following_.modified ? *following_.modified : all_.modified.value_or(FileTime{header.modified, 0})};
  using Kind = TarMember::Kind;
  const bool folder = header.type == '5' || member.path.ends_with('/');  // as the oldest archives say it
  member.kind = header.type == '1'   ? Kind::hard_link
                : header.type == '2' ? Kind::symbolic_link
                : folder             ? Kind::folder
                                     : Kind::file;
  return member;
}

}  // namespace fwd
