#pragma once

#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace fwd::test {

/// Writes tar archives block by block, right or wrong as the test wants them.
class TarWriter {
 public:
  struct Header {
    std::string name;
    char type = '0';
    std::string link = {};
    std::string prefix = {};
    std::string magic = std::string(
        "ustar\0"
        "00",
        8);
    std::string size_field = {};  ///< instead of what the data says
    std::string time_field = "00000000017";
  };

  /// A header, and `data` filled up to a block.
  TarWriter& add(const Header& header, std::string_view data = {}) {
    std::array<char, 512> block{};
    const auto put = [&block](std::size_t at, std::string_view text) { text.copy(block.data() + at, text.size()); };
    char size[16];
    std::snprintf(size, sizeof size, "%011zo", data.size());
    put(0, header.name);
    put(100, "0000644");
    put(124, header.size_field.empty() ? std::string_view(size) : std::string_view(header.size_field));
    put(136, header.time_field);
    put(148, "        ");
    block[156] = header.type;
    put(157, header.link);
    put(257, header.magic);
    put(345, header.prefix);
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    char text[16];
    std::snprintf(text, sizeof text, "%06o", sum);
    put(148, std::string_view(text, 7));
    bytes_.append(block.data(), block.size());
    return raw(data);
  }
  TarWriter& file(const std::string& name, std::string_view data) { return add({.name = name}, data); }
  TarWriter& link(const std::string& name, const std::string& target, char type = '2') {
    return add({.name = name, .type = type, .link = target});
  }
  /// A pax record for the next member (`x`) or all (`g`).
  TarWriter& pax(const std::string& key, const std::string& value, char type = 'x') {
    const std::string rest = " " + key + "=" + value + "\n";
    std::size_t size = rest.size() + 1;
    while (std::to_string(size).size() + rest.size() != size) ++size;
    return add({.name = "pax", .type = type}, std::to_string(size) + rest);
  }
  /// Data filled up to a block.
  TarWriter& raw(std::string_view data) {
    bytes_ += data;
    bytes_.resize((bytes_.size() + 511) / 512 * 512, '\0');
    return *this;
  }
  /// With the end mark.
  std::string finished() const { return bytes_ + std::string(1024, '\0'); }
  const std::string& unfinished() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace fwd::test
