// A function that breaks one rule of the protocol at a time; the path of the request says which, anything else echoes.
// For the whole process: --exit-at-start, --print-when-idle (stray bytes some time after each answer), --ignore-body.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "misbehave_request.hpp"
#include "stdio_bytes.hpp"

namespace {

using std::chrono::milliseconds;
using stdio_bytes::write_all;

constexpr milliseconds kHolderLife{60'000};  // a grandchild that nobody kills ends by itself

std::string answer(std::string_view body, std::string_view fields = "", std::string_view status = "200 OK") {
  return "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(fields) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

void pause_for(milliseconds time) {
  std::this_thread::sleep_for(time);
}

/// Tells the test that the request is here.
void log_begin(const Request& request) {
  write_all("begun " + request.path + "\n", STDERR_FILENO);
}

/// Waits until the test opens the other side of the fifo `name`.
void wait_for(const std::string& name) {
  close(open(name.c_str(), O_RDONLY));
}

[[noreturn]] void sleep_for_ever() {
  while (true) pause();
}

void print_before(const Request& request) {
  const std::string body = request.body();
  write_all("first stray line\nsecond stray line\n" + answer(body));
}

void print_after(const Request& request) {
  const std::string body = request.body();
  write_all(answer(body) + "stray after the answer\n");
}

void bare_lf(const Request& request) {
  const std::string body = request.body();
  write_all("HTTP/1.1 200 OK\nX-Line: lf\nContent-Length: " + std::to_string(body.size()) + "\n\n" + body);
}

void continue_first(const Request& request) {
  const std::string body = request.body();
  write_all("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + answer(body));
}

void chunked(const Request& request) {
  const std::string body = request.body();
  std::string text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (std::size_t at = 0; at < body.size(); at += 3) {
    const std::string piece = body.substr(at, 3);
    text += std::to_string(piece.size()) + ";extension=1\r\n" + piece + "\r\n";
  }
  write_all(text + "0\r\nX-Trailer: 1\r\n\r\n");
}

void no_length(const Request& request) {
  const std::string body = request.body();
  write_all("HTTP/1.1 200 OK\r\n\r\n" + body);
}

void short_body(const Request& request) {
  (void)request.body();
  write_all("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab");
}

void exit_mid_answer(const Request& request) {
  short_body(request);
  std::exit(3);
}

void surplus(const Request& request) {
  const std::string body = request.body();
  write_all(answer(body) + std::string(request.number("n", 5000), 'Z'));
}

void with_status(const Request& request, std::string_view status) {
  const std::string body = request.body();
  write_all(answer(body, "", status));
}

void big(const Request& request) {
  (void)request.body();
  write_all(answer(std::string(request.number("n", 1 << 20), 'b')));
}

/// Answers first and reads the body then, so that both pipes may be full at once.
void answer_early(const Request& request) {
  write_all(answer(std::string(request.length, 'e')));
  (void)request.body();
}

/// The head, then the body byte by byte, `ms` apart.
void slow_body(const Request& request) {
  const std::string body = request.body();
  write_all("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  for (const char& byte : body) {
    write_all({&byte, 1});
    pause_for(milliseconds(request.number("ms", 1)));
  }
}

/// The body names a fifo; the answer is "finished" once somebody opens it.
void wait_then_finish(const Request& request) {
  log_begin(request);
  wait_for(request.body());
  write_all(answer("finished"));
}

/// The same, but the first half of the answer is there before.
void half_then_wait(const Request& request) {
  write_all("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nfini");
  wait_for(request.body());
  write_all("shed");
}

void log_body(const Request& request) {
  const std::string body = request.body();
  write_all("log " + body + "\n", STDERR_FILENO);
  write_all(answer(body));
}

/// A grandchild keeps stdout open while this process does not answer.
void fork_holder(const Request& request) {
  (void)request.body();
  const pid_t holder = fork();
  if (holder == 0) {
    pause_for(kHolderLife);
    _exit(0);
  }
  write_all("holder " + std::to_string(holder) + "\n", STDERR_FILENO);
  sleep_for_ever();
}

void stderr_bytes(const Request& request) {
  const std::string body = request.body();
  write_all(std::string(request.number("n", 100'000), 'e'), STDERR_FILENO);
  write_all(answer(body));
}

void close_stdout(const Request& request) {
  (void)request.body();
  close(STDOUT_FILENO);
  sleep_for_ever();
}

void ignore_term(const Request& request) {
  std::signal(SIGTERM, SIG_IGN);
  const std::string body = request.body();
  write_all(answer(body));
}

void sleep_then_echo(const Request& request) {
  log_begin(request);
  const std::string body = request.body();
  pause_for(milliseconds(request.number("ms", 1000)));
  write_all(answer(body));
}

[[noreturn]] void never(const Request& request) {
  log_begin(request);
  (void)request.body();
  sleep_for_ever();
}

[[noreturn]] void exit_before_answer(const Request& request) {
  (void)request.body();
  std::exit(3);
}

void garbage(const Request& request) {
  (void)request.body();
  write_all("HTTP/ZZZ no answer at all\r\n\r\n" + std::string(100, 'Z') + "\n");
}

void echo_head(const Request& request) {
  (void)request.body();
  write_all(answer(request.head));
}

void echo(const Request& request) {
  const std::string body = request.body();
  write_all(answer(body));
}

void with_fields(const Request& request, std::string_view fields) {
  const std::string body = request.body();
  write_all(answer(body, fields));
}

void process_id(const Request& request) {
  (void)request.body();
  write_all(answer(std::to_string(getpid())));
}

/// The largest number of requests that this process has found in its input at once.
void most_at_once(const Request& request) {
  (void)request.body();
  write_all(answer(std::to_string(request.input->most_heads())));
}

/// Keeps `mb` more of memory from now on.
void grow(const Request& request) {
  static std::string kept;
  (void)request.body();
  kept.append(request.number("mb", 1) << 20, 'm');
  write_all(answer(std::to_string(kept.size())));
}

using Verb = std::function<void(const Request&)>;

const std::map<std::string, Verb, std::less<>>& verbs() {
  static const std::map<std::string, Verb, std::less<>> table = {
      {"/print-before", print_before},
      {"/print-after", print_after},
      {"/bare-lf", bare_lf},
      {"/no-reason", [](const Request& request) { with_status(request, "200"); }},
      {"/status-000", [](const Request& request) { with_status(request, "000 None"); }},
      {"/204-with-body", [](const Request& request) { with_status(request, "204 No Content"); }},
      {"/304-with-body", [](const Request& request) { with_status(request, "304 Not Modified"); }},
      {"/status-500", [](const Request& request) { with_status(request, "500"); }},
      {"/connection-close", [](const Request& request) { with_fields(request, "Connection: Close\r\n"); }},
      {"/two-cookies", [](const Request& request) { with_fields(request, "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n"); }},
      {"/100-continue-first", continue_first},
      {"/chunked", chunked},
      {"/no-length", no_length},
      {"/short-body", short_body},
      {"/surplus", surplus},
      {"/exit-before-answer", exit_before_answer},
      {"/exit-mid-answer", exit_mid_answer},
      {"/sleep", sleep_then_echo},
      {"/never", never},
      {"/garbage", garbage},
      {"/big", big},
      {"/answer-early", answer_early},
      {"/close-stdout", close_stdout},
      {"/fork-holder", fork_holder},
      {"/stderr", stderr_bytes},
      {"/echo-head", echo_head},
      {"/pid", process_id},
      {"/slow-body", slow_body},
      {"/wait", wait_then_finish},
      {"/half-then-wait", half_then_wait},
      {"/log", log_body},
      {"/ignore-term", ignore_term},
      {"/most-at-once", most_at_once},
      {"/grow", grow},
  };
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (option == "--exit-at-start") return 3;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGCHLD, SIG_IGN);
  stdio_bytes::Input input;
  for (Request request; read_request(input, request);) {
    if (option == "--ignore-body") request.length = 0;  // it stays in the pipe
    const auto verb = verbs().find(request.path);
    if (verb == verbs().end()) {
      echo(request);
    } else {
      verb->second(request);
    }
    if (option != "--print-when-idle") continue;
    pause_for(milliseconds(20));
    write_all("stray while idle\n");
  }
}
