// Behaves as the fast-fork Java function does on a Java virtual machine.
//
// Kept as it is on purpose: without a line that starts with "Content-Length:" the process ends; its value may have no
// trailing blank; the length of the answer counts UTF-16 units; at the end of the input it spins and its buffer grows.

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "java_text.hpp"
#include "stdio_bytes.hpp"

namespace {

constexpr std::string_view kLengthName = "Content-Length:";
constexpr std::size_t kHeapBytes = 64 << 20;  // where the virtual machine's heap would end the growth

/// The head with its empty line. At the end of the input it never returns: -1 is taken for a character.
std::string read_head(stdio_bytes::Input& input) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const int byte = input.next();
    if (byte >= 0 || head.size() < kHeapBytes) head += static_cast<char>(byte);
  }
  return head;
}

std::optional<std::string> find_length(std::string_view head) {
  for (std::size_t at = head.find("\r\n"); at != head.npos; at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    if (!line.starts_with(kLengthName)) continue;
    const std::size_t value = line.find_first_not_of(' ', kLengthName.size());
    return std::string(value == line.npos ? "" : line.substr(value));
  }
  return std::nullopt;
}

[[noreturn]] void die(std::string_view exception) {
  std::cerr << "Exception in thread \"main\" " << exception << std::endl;
  std::exit(1);
}

std::size_t parse_length(const std::optional<std::string>& text) {
  if (!text) die("java.lang.NullPointerException");
  if (text->empty() || text->find_first_not_of("0123456789") != text->npos) die("java.lang.NumberFormatException");
  return std::stoul(*text);
}

void serve_one(stdio_bytes::Input& input) {
  const std::string head = read_head(input);
  std::cerr << head.substr(0, head.find("\r\n")) << std::endl;
  const std::string body = input.take(parse_length(find_length(head)));
  std::string text = "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(java_text::utf16_units(body)) + "\r\n";
  text += "Connection: Close\r\nContent-Type: text/plain\r\n\r\n";
  stdio_bytes::write_all(text + body);
}

}  // namespace

int main() {
  stdio_bytes::Input input;
  while (true) serve_one(input);
}
