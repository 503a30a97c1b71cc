#include "modes/tar_header.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace fwd {
namespace {

struct Place {
  std::size_t offset;
  std::size_t size;
};

constexpr Place kName{0, 100}, kSize{124, 12}, kModified{136, 12}, kChecksum{148, 8}, kLink{157, 100}, kMagic{257, 6},
    kPrefix{345, 155};
constexpr std::size_t kType = 156;

std::string_view field(const TarBlock& block, Place place) {
  return {block.data() + place.offset, place.size};
}

/// Up to the first NUL.
std::string_view text(const TarBlock& block, Place place) {
  const std::string_view whole = field(block, place);
  return whole.substr(0, whole.find('\0'));
}

/// GNU's binary form: big-endian behind a first byte of 0x80, or of 0xFF for a negative number.
std::optional<std::int64_t> read_binary(std::string_view bytes) {
  const bool negative = bytes[0] == '\xff';
  if (!negative && bytes[0] != '\x80') return std::nullopt;
  std::uint64_t number = negative ? ~std::uint64_t{0} : 0;
  for (const char c : bytes.substr(1)) {
    if ((number >> 55) != (negative ? 0x1FFU : 0U)) return std::nullopt;  // it would not fit into 63 bits
    number = number << 8 | static_cast<unsigned char>(c);
  }
  return static_cast<std::int64_t>(number);
}

/// Octal digits between blanks or NULs; nothing at all is zero.
std::optional<std::int64_t> read_number(std::string_view bytes) {
  if (static_cast<unsigned char>(bytes[0]) >= 0x80) return read_binary(bytes);
  bytes.remove_prefix(std::min(bytes.find_first_not_of(' '), bytes.size()));
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), number, 8);
  const bool empty = end == bytes.data();
  const bool ends = end == bytes.data() + bytes.size() || *end == ' ' || *end == '\0';
  if ((error != std::errc() && !empty) || !ends || number < 0) return std::nullopt;
  return number;
}

/// The sum of all bytes, with blanks for the sum itself. Some old programs took the bytes for signed.
bool checksum_fits(const TarBlock& block) {
  const auto expected = read_number(field(block, kChecksum));
  std::int64_t unsigned_sum = 0, signed_sum = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const bool own = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
    unsigned_sum += own ? ' ' : static_cast<unsigned char>(block[i]);
    signed_sum += own ? ' ' : static_cast<signed char>(block[i]);
  }
  return expected && (*expected == unsigned_sum || *expected == signed_sum);
}

/// `1350244992.023960108`, whole seconds, or with a minus.
std::optional<FileTime> read_time(std::string_view text) {
  FileTime time;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, time.seconds);
  if (error != std::errc()) return std::nullopt;
  if (end == last) return time;
  if (*end != '.') return std::nullopt;
  std::uint32_t unit = 100'000'000;
  for (const char* digit = end + 1; digit != last; ++digit, unit /= 10) {
    if (*digit < '0' || *digit > '9') return std::nullopt;
    time.nanoseconds += static_cast<std::uint32_t>(*digit - '0') * unit;
  }
  if (text.front() == '-' && time.nanoseconds != 0) {  // -1.25 is 0.75 s after -2
    if (time.seconds == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    --time.seconds;
    time.nanoseconds = 1'000'000'000 - time.nanoseconds;
  }
  return time;
}

/// False if the value cannot be read.
bool take_record(std::string_view key, std::string_view value, TarOverrides& out) {
  if (key == "path") out.path = value;
  if (key == "linkpath") out.link = value;
  if (key.starts_with("GNU.sparse.")) out.sparse = true;
  if (key == "mtime") return (out.modified = read_time(value)).has_value();
  if (key != "size") return true;
  std::uint64_t size = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, size);
  out.size = size;
  return error == std::errc() && end == last;
}

}  // namespace

bool is_zero_block(const TarBlock& block) {
  return std::ranges::all_of(block, [](char c) { return c == '\0'; });
}

std::optional<std::string> read_tar_header(const TarBlock& block, TarHeader& out) {
  if (!checksum_fits(block)) return "this is no header of an uncompressed tar: its checksum is wrong";
  const auto size = read_number(field(block, kSize));
  const auto modified = read_number(field(block, kModified));
  if (!size || *size < 0) return "the size in the header is no number";
  if (!modified) return "the time in the header is no number";
  out.name = text(block, kName);
  out.link = text(block, kLink);
  out.type = block[kType];
  out.size = static_cast<std::uint64_t>(*size);
  out.modified = *modified;
  const std::string_view prefix = text(block, kPrefix);
  const bool is_ustar = field(block, kMagic) == std::string_view("ustar\0", 6);  // GNU has something else there
  if (is_ustar && !prefix.empty()) out.name.insert(0, std::string(prefix) + "/");
  return std::nullopt;
}

std::optional<std::string> read_pax_records(std::string_view records, TarOverrides& out) {
  while (!records.empty()) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), size);
    const auto head = static_cast<std::size_t>(end - records.data()) + 1;  // with the blank
    if (error != std::errc() || size <= head || size > records.size() || *end != ' ' || records[size - 1] != '\n')
      return "a pax record has a wrong length";
    const std::string_view record = records.substr(head, size - head - 1);
    const auto equals = record.find('=');
    if (equals == std::string_view::npos) return "a pax record has no value";
    if (!take_record(record.substr(0, equals), record.substr(equals + 1), out))
      return "pax record \"" + std::string(record.substr(0, 100)) + "\" cannot be read";
    records.remove_prefix(size);
  }
  return std::nullopt;
}

}  // namespace fwd
