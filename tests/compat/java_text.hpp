#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Texts as a Java virtual machine has them, for the two programs that stand for it.
namespace java_text {

/// What a Latin-1 reader makes of bytes, printed as UTF-8 again: two bytes for each byte from 0x80.
inline std::string latin1_to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    if (value >= 0x80) text += static_cast<char>(0xC0 | value >> 6);
    text += value >= 0x80 ? static_cast<char>(0x80 | (value & 0x3F)) : byte;
  }
  return text;
}

/// String.length() of valid UTF-8: one unit for each character, two for one above U+FFFF.
inline std::size_t utf16_units(std::string_view utf8) {
  std::size_t units = 0;
  for (const char byte : utf8) {
    const auto value = static_cast<unsigned char>(byte);
    if ((value & 0xC0) != 0x80) units += value >= 0xF0 ? 2 : 1;
  }
  return units;
}

}  // namespace java_text
