#include "watchdog/base/log.hpp"

#include <spdlog/details/null_mutex.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>

#include "watchdog/base/log_queue.hpp"

namespace fwd {
namespace {

constexpr auto kDated = "%Y/%m/%d %H:%M:%S %v";

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
  Streams(int error_fd, int output_fd) : error(error_fd), output(output_fd) {}

  LogQueue error;
  LogQueue output;
  spdlog::logger own = make_logger(error, kDated);
  spdlog::logger error_line = make_logger(error, "%Y/%m/%d %H:%M:%S stderr: %v");
  spdlog::logger output_line = make_logger(output, "%Y/%m/%d %H:%M:%S stdout: %v");
  spdlog::logger error_bare = make_logger(error, "%v");
  spdlog::logger output_bare = make_logger(output, "%v");
};

Log::Log(int error_fd, int output_fd) : streams_(std::make_unique<Streams>(error_fd, output_fd)) {}
Log::~Log() = default;

void Log::say(std::string_view text) { write(streams_->own, text); }

void Log::relay(FunctionStream stream, std::string_view text) {
  write(stream == FunctionStream::standard_error ? streams_->error_line : streams_->output_line, text);
}

void Log::relay_bare(FunctionStream stream, std::string_view text) {
  write(stream == FunctionStream::standard_error ? streams_->error_bare : streams_->output_bare, text);
}

std::uint64_t Log::dropped() const { return streams_->error.dropped() + streams_->output.dropped(); }

}  // namespace fwd
