// A function whose handler does what the path says, for test_protocol.py.

#include <iostream>
#include <stdexcept>
#include <string>
#include <unistd.h>

#include "fwatchdog_function.hpp"

namespace {

using fwatchdog::Answer;
using fwatchdog::Event;

std::string parts_of(const Event& event) {
  std::string text;
  text.append(event.method).append("|").append(event.path).append("|").append(event.query).append("|");
  text.append(event.header("x-TWO").value_or("none")).append("|").append(event.header("Missing").value_or("none"));
  return text;
}

Answer handle(const Event& event) {
  if (event.path == "/parts") return parts_of(event);
  if (event.path == "/throw") throw std::runtime_error("secret");
  if (event.path == "/throw-int") throw 7;
  if (event.path == "/status") return Answer("text", 404, {{"X-A", "1"}, {"Content-Length", "9"}, {"X-A", "2"}});
  if (event.path == "/bodiless") return Answer("text", 204);
  if (event.path == "/bad-status") return Answer("text", 99);
  if (event.path == "/bad-header") return Answer("text", 200, {{"A", "1\r\nB: 2"}});
  if (event.path == "/print") {
    std::cout << "log line" << std::endl;
    std::puts("puts line");
    std::string line;
    return std::getline(std::cin, line) ? "input stolen" : "no input left for a handler";
  }
  if (event.path == "/wait") {  // until the other side of the fifo named in the body opens it
    std::cerr << "begun" << std::endl;
    close(open(std::string(event.body).c_str(), O_RDONLY));
    return "finished";
  }
  return std::string(event.body);
}

}  // namespace

int main() {
  return fwatchdog::serve(handle);
}
