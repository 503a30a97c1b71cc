#pragma once

// Keeps one C++ process hot: HTTP/1.1 requests from stdin, one answer after the other. Needs nothing but POSIX.
//
// Answers go to the descriptor in FWATCHDOG_RESPONSE_FD if the watchdog offers one, and then stdout is a log. Without
// it they go to the original stdout, and what the handler prints is moved to stderr, where it cannot break the
// protocol.

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fcntl.h>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <strings.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace fwatchdog {

namespace detail {

inline bool same_name(std::string_view left, std::string_view right) {
  return left.size() == right.size() && strncasecmp(left.data(), right.data(), left.size()) == 0;
}

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// The value of the first field called `name` in a head whose every line ends with CRLF.
inline std::optional<std::string_view> find_field(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find("\r\n"); at + 2 < head.size(); at = head.find("\r\n", at + 2)) {
    const std::string_view line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    const std::size_t colon = line.find(':');
    if (colon != line.npos && same_name(line.substr(0, colon), name)) return trimmed(line.substr(colon + 1));
  }
  return std::nullopt;
}

}  // namespace detail

/// One request. Every view is valid while the handler runs.
struct Event {
  std::string_view method;
  std::string_view path;   ///< The target up to the first '?', still percent-encoded.
  std::string_view query;  ///< What follows the first '?', raw.
  std::string_view head;   ///< Request line and fields as they came.
  std::string_view body;

  /// The first field called `name`, in any case.
  std::optional<std::string_view> header(std::string_view name) const { return detail::find_field(head, name); }
};

/// What a handler returns; a string alone is an answer with status 200.
struct Answer {
  std::string body;
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;  ///< Content-Length is added, in bytes.

  Answer(std::string text, int code = 200, std::vector<std::pair<std::string, std::string>> fields = {})
      : body(std::move(text)), status(code), headers(std::move(fields)) {}
  Answer(const char* text) : body(text) {}
};

namespace detail {

constexpr std::size_t kReadBytes = 64 * 1024;     // a whole pipe, pipe(7): a usual request comes in one read
constexpr std::size_t kHeadLimitBytes = 1 << 20;  // far above what a watchdog lets through
constexpr std::size_t kKeptBytes = 1 << 20;       // memory kept for the next request after a large one

// Shared with the signal handler.
inline int request_descriptor = -1;
inline int nothing_descriptor = -1;
inline volatile std::sig_atomic_t stopping = 0;
inline volatile std::sig_atomic_t in_request = 0;

/// Lets the request in flight finish; between requests it turns the input into its end. That way a read that is about
/// to block ends too, and no system call per request is spent on looking for the signal.
inline void on_terminate(int) {
  const int saved = errno;
  stopping = 1;
  if (!in_request) dup2(nothing_descriptor, request_descriptor);
  errno = saved;
}

enum class Read { request, end, broken };

/// Cuts the bytes of a descriptor into requests, however they are segmented.
class Requests {
 public:
  explicit Requests(int descriptor) : descriptor_(descriptor), storage_(kReadBytes, '\0') {}

  /// Reads the next request into `event`; its views are valid until the next call.
  Read next(Event& event) {
    drop_last();
    in_request = filled_ > 0;
    if (stopping && !in_request) return Read::end;  // after this line the signal handler itself ends the input
    std::size_t head_end = 0;
    while ((head_end = seen().find("\r\n\r\n")) == std::string_view::npos) {
      if (filled_ > kHeadLimitBytes) return Read::broken;
      if (!read_more()) return Read::end;
    }
    const auto length = body_length(seen().substr(0, head_end + 2));
    if (!length) return Read::broken;
    used_ = head_end + 4 + *length;
    if (storage_.size() < used_) storage_.resize(used_);
    while (filled_ < used_) {
      if (!read_more()) return Read::end;
    }
    event = parse(seen().substr(0, used_), head_end);
    return Read::request;
  }

 private:
  std::string_view seen() const { return {storage_.data(), filled_}; }

  void drop_last() {
    std::copy(storage_.begin() + used_, storage_.begin() + filled_, storage_.begin());
    filled_ -= used_;
    used_ = 0;
    if (storage_.size() <= kKeptBytes || filled_ > kReadBytes) return;
    storage_.resize(kReadBytes);
    storage_.shrink_to_fit();
  }

  bool read_more() {
    if (filled_ == storage_.size()) storage_.resize(2 * filled_);
    ssize_t count = 0;
    do {
      count = read(descriptor_, storage_.data() + filled_, storage_.size() - filled_);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    in_request = 1;
    filled_ += static_cast<std::size_t>(count);
    return true;
  }

  /// Nothing if the head has a length that is not a number, or none that this reader understands.
  static std::optional<std::size_t> body_length(std::string_view head) {
    const auto value = find_field(head, "Content-Length");
    if (!value) return find_field(head, "Transfer-Encoding") ? std::nullopt : std::optional<std::size_t>(0);
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), length);
    if (error != std::errc() || end != value->data() + value->size()) return std::nullopt;
    return length;
  }

  static Event parse(std::string_view request, std::size_t head_end) {
    Event event;
    event.head = request.substr(0, head_end + 2);
    event.body = request.substr(head_end + 4);
    const std::string_view line = event.head.substr(0, event.head.find("\r\n"));
    const std::size_t method_end = std::min(line.find(' '), line.size());
    event.method = line.substr(0, method_end);
    std::string_view target = line.substr(std::min(method_end + 1, line.size()));
    target = target.substr(0, target.find(' '));
    event.path = target.substr(0, target.find('?'));
    if (event.path.size() < target.size()) event.query = target.substr(event.path.size() + 1);
    return event;
  }

  int descriptor_;
  std::string storage_;     // its size is what a read may fill; it is not shrunk for each request
  std::size_t filled_ = 0;  // bytes read
  std::size_t used_ = 0;    // bytes of the request handed out last
};

inline bool is_bodiless(int status) {
  return status == 204 || status == 304;
}

inline bool is_ours(std::string_view name) {
  return same_name(name, "Content-Length") || same_name(name, "Transfer-Encoding") || same_name(name, "Connection");
}

/// The head of an answer; nothing if the answer is impossible.
inline std::optional<std::string> render_head(const Answer& answer) {
  if (answer.status < 200 || answer.status > 599) return std::nullopt;
  std::string head = "HTTP/1.1 " + std::to_string(answer.status) + (answer.status == 200 ? " OK\r\n" : " \r\n");
  for (const auto& [name, value] : answer.headers) {
    const std::string_view unsafe("\r\n\0", 3);
    if (name.empty() || name.find_first_of(unsafe) != name.npos || value.find_first_of(unsafe) != value.npos)
      return std::nullopt;
    if (!is_ours(name)) head.append(name).append(": ").append(value).append("\r\n");
  }
  if (!is_bodiless(answer.status)) head += "Content-Length: " + std::to_string(answer.body.size()) + "\r\n";
  return head += "\r\n";
}

/// One gather write for head and body; more only when a signal comes in between. False if nobody reads.
inline bool write_answer(int descriptor, std::string_view head, std::string_view body) {
  while (!head.empty() || !body.empty()) {
    iovec parts[2] = {{const_cast<char*>(head.data()), head.size()}, {const_cast<char*>(body.data()), body.size()}};
    const ssize_t written = writev(descriptor, parts, 2);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    const std::size_t from_head = std::min(head.size(), static_cast<std::size_t>(written));
    head.remove_prefix(from_head);
    body.remove_prefix(static_cast<std::size_t>(written) - from_head);
  }
  return true;
}

inline Answer failure() {
  return Answer("The function failed; its log says why.\n", 500);
}

template <class Handler>
Answer call(Handler& handle, const Event& event) {
  try {
    return handle(event);
  } catch (const std::exception& error) {
    std::cerr << "The handler threw: " << error.what() << std::endl;
  } catch (...) {
    std::cerr << "The handler threw something that is no std::exception" << std::endl;
  }
  return failure();
}

inline bool send_answer(int descriptor, Answer answer, bool head_only) {
  auto head = render_head(answer);
  if (!head) {
    std::cerr << "The handler returned an impossible status or header" << std::endl;
    answer = failure();
    head = render_head(answer);
  }
  return write_answer(descriptor, *head, head_only || is_bodiless(answer.status) ? std::string_view() : answer.body);
}

/// Takes the protocol's descriptors away from the handler; gives the one for answers.
inline int take_descriptors() {
  request_descriptor = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  nothing_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing_descriptor, STDIN_FILENO);
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // so that a log line leaves when it is printed
  const char* offered = std::getenv("FWATCHDOG_RESPONSE_FD");
  if (offered != nullptr && *offered != '\0') {
    const int answers = std::atoi(offered);
    fcntl(answers, F_SETFD, FD_CLOEXEC);
    return answers;
  }
  const int answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return answers;
}

inline void handle_signals() {
  struct sigaction action {};
  action.sa_handler = on_terminate;
  action.sa_flags = SA_RESTART;  // a read that is started again looks the descriptor up again and finds the end
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace detail

/// Answers requests with `handle(const Event&) -> Answer` until the input ends or SIGTERM asks to stop.
/// Shape:  one request at a time, in order; an answer in flight is finished first.
/// Errors: a handler that throws is answered 500, its text goes to stderr.
/// Returns the exit code for main: 0, or 1 if the input could not be cut into requests.
template <class Handler>
int serve(Handler handle) {
  const int answers = detail::take_descriptors();
  detail::handle_signals();
  detail::Requests requests(detail::request_descriptor);
  Event event;
  detail::Read outcome = requests.next(event);
  for (; outcome == detail::Read::request; outcome = requests.next(event)) {
    const bool head_only = event.method == "HEAD";
    if (!detail::send_answer(answers, detail::call(handle, event), head_only)) return 0;  // the watchdog is gone
  }
  if (outcome == detail::Read::end) return 0;
  std::cerr << "Broken request: its head does not end, or has no usable length" << std::endl;
  detail::send_answer(answers, Answer("Bad Request\n", 400), false);
  return 1;
}

}  // namespace fwatchdog
