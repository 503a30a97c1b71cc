// Behaves as the published scala-afterburn template does on a Java virtual machine.
//
// Kept as it is on purpose: lines of the head end with a bare LF; a request's bytes become Latin-1 characters and are
// printed as UTF-8, so that the answer is longer than its Content-Length, which counts UTF-16 units; only POST reads
// its body; a head line without a colon ends the process; the end of the input is answered 400, again and again.

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "java_text.hpp"
#include "stdio_bytes.hpp"

namespace {

void answer(std::string_view status, std::string_view utf8) {
  std::string text = "HTTP/1.1 " + std::string(status) + "\n";
  text += "Content-Length: " + std::to_string(java_text::utf16_units(utf8)) + "\n";
  text += "Connection: Close\nContent-Type: text/plain\n\n";
  stdio_bytes::write_all(text.append(utf8));
}

/// Lines up to the empty one, or up to the end of the input.
std::vector<std::string> read_head(stdio_bytes::Input& input) {
  std::vector<std::string> lines;
  std::string line;
  for (int byte = input.next(); byte >= 0; byte = input.next()) {
    if (byte == '\r') continue;
    if (byte != '\n') {
      line += static_cast<char>(byte);
    } else if (line.empty()) {
      break;
    } else {
      lines.push_back(std::move(line));
      line.clear();
    }
  }
  return lines;
}

std::map<std::string, std::string> fields_of(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> fields;
  for (std::size_t at = 1; at < lines.size(); ++at) {
    const std::size_t colon = lines[at].find(':');
    if (colon == std::string::npos) {
      std::cerr << "Exception in thread \"main\" scala.MatchError: " << lines[at] << std::endl;
      std::exit(1);
    }
    const std::size_t value = lines[at].find_first_not_of(' ', colon + 1);
    fields[lines[at].substr(0, colon)] = value == std::string::npos ? "" : lines[at].substr(value);
  }
  return fields;
}

void serve_one(stdio_bytes::Input& input) {
  const std::vector<std::string> lines = read_head(input);
  if (lines.empty()) {
    answer("400 Bad Request", "Couldn't parse http header");
    return;
  }
  const std::map<std::string, std::string> fields = fields_of(lines);
  if (!lines.front().starts_with("POST ")) {
    answer("200 OK", "Hi from your Scala function.");  // and a body stays where it is
    return;
  }
  const auto length = fields.find("Content-Length");
  const std::string body = input.take(length == fields.end() ? 0 : std::stoul(length->second));
  std::cerr << "POST " << body.size() << " bytes" << std::endl;
  answer("200 OK", java_text::latin1_to_utf8(body));
}

}  // namespace

int main() {
  stdio_bytes::Input input;
  while (true) serve_one(input);
}
