#pragma once

#include <boost/system/result.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "modes/file_source.hpp"

namespace fwd {

/// Where an archive is wrong, and what is.
struct TarFault {
  TarFault() = default;
  TarFault(std::uint64_t at, std::string text) : offset(at), what(std::move(text)) {}
  std::uint64_t offset = 0;  // in bytes, of the header in question
  std::string what;
};

template <class T>
using TarResult = boost::system::result<T, TarFault>;

/// Archives consist of these.
inline constexpr std::size_t kTarBlock = 512;
using TarBlock = std::array<char, kTarBlock>;

/// The fields of one header that matter here.
struct TarHeader {
  std::string name;
  std::string link;  // the target of a link
  char type = '0';
  std::uint64_t size = 0;  // of the data behind the header, in bytes
  std::int64_t modified = 0;
};

/// The blocks that mark the end of an archive.
bool is_zero_block(const TarBlock& block);

/// Reads a header: v7, ustar or GNU. Numbers may be in GNU's binary form.
/// Errors: what is wrong with it, in words. A block that is no header has a wrong checksum.
/// Source: POSIX pax, ustar interchange format; the GNU tar manual, "Basic Tar Format".
std::optional<std::string> read_tar_header(const TarBlock& block, TarHeader& out);

/// What pax records and GNU's long names say of the member that follows, instead of its header.
struct TarOverrides {
  std::optional<std::string> path{};
  std::optional<std::string> link{};
  std::optional<std::uint64_t> size{};
  std::optional<FileTime> modified{};
  bool sparse = false;  // what is stored is not what the file holds
};

/// Reads pax records, `30 mtime=1350244992.023960108\n`; the ones of no use are skipped.
/// Errors: what is wrong with them, in words.
/// Source: POSIX pax, extended header.
std::optional<std::string> read_pax_records(std::string_view records, TarOverrides& out);

}  // namespace fwd
