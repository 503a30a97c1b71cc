#include "watchdog/base/log.hpp"

#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include <chrono>
#include <string>

#include "watchdog/base/log_queue.hpp"

namespace fwd {
namespace {

constexpr auto kDated = "%Y/%m/%d %H:%M:%S %v";

/// Old lines have no levels: how they begin tells.
std::string_view level_of(std::string_view text) {
  if (text.starts_with("Warning")) return "warn";
  for (const std::string_view word : {"Error", "Internal error", "Cannot"})
    if (text.starts_with(word)) return "error";
  return "info";
}

/// Says that lines were dropped, in the format of the others.
LogQueue::Notice notice_in(LogFormat format) {
  if (format == LogFormat::text) return dropped_notice;
  return [format](std::uint64_t count) {
    LogLine line(format);
    line.begin(std::chrono::system_clock::now());
    line.text("level", "warn");
    line.text("msg", std::to_string(count) + " log lines were dropped: the log is not being read");
    return std::string(line.end());
  };
}

class QueueSink final : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit QueueSink(LogQueue& queue) : queue_(queue) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    queue_.push({line.data(), line.size()});
  }
  void flush_() override {}

 private:
  LogQueue& queue_;
};

spdlog::logger make_logger(LogQueue& queue, const char* pattern) {
  spdlog::logger logger("fwatchdog", std::make_shared<QueueSink>(queue));
  logger.set_pattern(pattern);
  return logger;
}

void write(spdlog::logger& logger, std::string_view text) {
  logger.log(spdlog::level::info, spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace

struct Log::Streams {
  Streams(int error_fd, int output_fd, LogFormat log_format)
      : format(log_format),
        line(log_format),
        error(error_fd, LogQueue::kBytes, notice_in(log_format)),
        output(output_fd, LogQueue::kBytes, notice_in(log_format)) {}

  const LogFormat format;
  LogLine line;  // where the format is not text
  LogQueue error;
  LogQueue output;
  spdlog::logger own = make_logger(error, kDated);
  spdlog::logger error_line = make_logger(error, "%Y/%m/%d %H:%M:%S stderr: %v");
  spdlog::logger output_line = make_logger(output, "%Y/%m/%d %H:%M:%S stdout: %v");
  spdlog::logger error_bare = make_logger(error, "%v");
  spdlog::logger output_bare = make_logger(output, "%v");
};

Log::Log(int error_fd, int output_fd, LogFormat format)
    : streams_(std::make_unique<Streams>(error_fd, output_fd, format)) {}
Log::~Log() = default;

LogFormat Log::format() const { return streams_->format; }

void Log::say(std::string_view text) {
  if (streams_->format == LogFormat::text) return write(streams_->own, text);
  LogLine& line = streams_->line;
  line.begin(std::chrono::system_clock::now());
  line.text("level", level_of(text));
  line.text("msg", text);
  put(line.end());
}

void Log::put(std::string_view line) { streams_->error.push(line); }

void Log::relay(FunctionStream stream, std::string_view text, std::string_view call_id) {
  const bool to_error = stream == FunctionStream::standard_error;
  if (streams_->format == LogFormat::text) return write(to_error ? streams_->error_line : streams_->output_line, text);
  LogLine& line = streams_->line;
  line.begin(std::chrono::system_clock::now());
  line.text("stream", to_error ? "stderr" : "stdout");
  line.text("msg", text);
  if (!call_id.empty()) line.text("call_id", call_id);
  (to_error ? streams_->error : streams_->output).push(line.end());
}

void Log::relay_bare(FunctionStream stream, std::string_view text) {
  write(stream == FunctionStream::standard_error ? streams_->error_bare : streams_->output_bare, text);
}

std::uint64_t Log::dropped() const { return streams_->error.dropped() + streams_->output.dropped(); }

}  // namespace fwd
