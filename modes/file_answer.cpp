#include "modes/file_answer.hpp"

#include <charconv>
#include <time.h>

#include "modes/preconditions.hpp"
#include "modes/read_at.hpp"
#include "modes/static_failure.hpp"
#include "watchdog/http/render.hpp"
#include "watchdog/http/sniff.hpp"

namespace fwd {
namespace {

constexpr std::size_t kLargestOut = 2 * FileAnswer::kReadBytes;  // kept for the next answer

Task<Error> failed(Error error) {
  co_return error;
}

/// Nothing for a file without a date, such as one of an image that was built reproducibly, or with one of the future.
/// Source: RFC 9110 section 8.8.2.1.
std::optional<std::int64_t> known_date(std::int64_t unix_seconds) {
  timespec now{};
  (void)::clock_gettime(CLOCK_REALTIME_COARSE, &now);  // fails only for an unknown clock
  return unix_seconds == 0 || unix_seconds > now.tv_sec ? std::nullopt : std::optional(unix_seconds);
}

char* append_hex(char* out, std::uint64_t number) {
  return std::to_chars(out, out + 16, number, 16).ptr;
}

}  // namespace

Task<Error> FileAnswer::send(Exchange& exchange, Subject subject, std::string_view cache_control) {
  subject_ = std::move(subject);
  write_validators();
  const RequestHead& request = exchange.request();
  const Validators validators{.etag = etag_, .modified = modified_};
  switch (check_preconditions(request, validators)) {
    case Precondition::failed:
      return answer_failure(exchange, 412);
    case Precondition::not_modified: {
      add_fields(304, {}, cache_control);
      return exchange.respond({.status = 304, .fields = fields_}).finish({});
    }
    case Precondition::holds:
      break;
  }
  if (const Error error = find_type()) return failed(error);
  const auto range = request.method() == "GET" ? request.find("Range") : std::nullopt;
  if (!range || !range_counts(request, validators)) return send_whole(exchange, cache_control);
  RangeChoice choice = choose_ranges(*range, subject_.file.size);
  if (choice.kind == RangeChoice::Kind::whole) return send_whole(exchange, cache_control);
  range_text_ = "bytes */";
  append_number(range_text_, subject_.file.size);
  if (choice.kind == RangeChoice::Kind::unsatisfiable)
    return answer_failure(exchange, 416, {"Content-Range", range_text_});
  ranges_ = std::move(choice.ranges);
  return ranges_.size() == 1 ? send_part(exchange, ranges_.front(), cache_control)
                             : send_parts(exchange, cache_control);
}

void FileAnswer::reset() {
  subject_ = {};
  multipart_.reset();
  ranges_.clear();
  out_.clear();
  if (out_.capacity() > kLargestOut) out_.shrink_to_fit();
}

/// By the name, else by the first bytes.
Error FileAnswer::find_type() {
  type_ = subject_.type.type;
  if (!type_.empty()) return {};
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(subject_.file.size, kSniffBytes));
  if (const Error error = read_at(subject_.file.fd, buffer_.get(), count, subject_.file.offset)) return error;
  type_ = sniff_content_type({buffer_.get(), count});
  return {};
}

/// `"size-time-identity"`, all hexadecimal; a coded file has its coding behind it.
void FileAnswer::write_validators() {
  const FoundFile& file = subject_.file;
  char* out = etag_text_.data();
  *out++ = '"';
  out = append_hex(out, file.size);
  *out++ = '-';
  out = append_hex(out, static_cast<std::uint64_t>(file.modified.seconds) * 1'000'000'000 + file.modified.nanoseconds);
  *out++ = '-';
  out = append_hex(out, file.identity);
  const std::string_view suffix = suffix_of(subject_.coding);
  out += suffix.copy(out, suffix.size());
  *out++ = '"';
  etag_ = {etag_text_.data(), static_cast<std::size_t>(out - etag_text_.data())};
  modified_ = known_date(file.modified.seconds);
  if (!modified_ || modified_ == date_of_text_) return;
  date_of_text_ = modified_;
  date_text_ = format_http_date(*modified_);
}

/// The fields of 200, 206 and 304; only the first two have a body to be told about.
void FileAnswer::add_fields(int status, std::string_view type, std::string_view cache_control) {
  fields_.clear();
  if (status != 304) {
    fields_.push_back({"Content-Type", type});
    if (!subject_.type.type.empty()) fields_.push_back({"X-Content-Type-Options", "nosniff"});
    if (subject_.coding != ContentCoding::identity) fields_.push_back({"Content-Encoding", name_of(subject_.coding)});
    fields_.push_back({"Accept-Ranges", "bytes"});
  }
  fields_.push_back({"ETag", etag_});
  if (modified_) fields_.push_back({"Last-Modified", {date_text_.data(), date_text_.size()}});
  if (!cache_control.empty()) fields_.push_back({"Cache-Control", cache_control});
  if (subject_.type.compressible) fields_.push_back({"Vary", "Accept-Encoding"});  // there may be a coded one
}

Task<Error> FileAnswer::send_whole(Exchange& exchange, std::string_view cache_control) {
  const std::uint64_t size = subject_.file.size;
  add_fields(200, type_, cache_control);
  BodySink& sink = exchange.respond({.status = 200, .fields = fields_, .length = size});
  if (size == 0 || exchange.request().method() == "HEAD") return sink.finish({});
  return send_bytes(sink, {.first = 0, .count = size});
}

Task<Error> FileAnswer::send_part(Exchange& exchange, const ByteRange& range, std::string_view cache_control) {
  add_fields(206, type_, cache_control);
  range_text_.clear();
  append_content_range(range_text_, range, subject_.file.size);
  fields_.push_back({"Content-Range", range_text_});
  return send_bytes(exchange.respond({.status = 206, .fields = fields_, .length = range.count}), range);
}

/// A short piece goes out in one write together with the head.
Task<Error> FileAnswer::send_bytes(BodySink& sink, const ByteRange& range) {
  if (range.count > kReadBytes) return send_large(sink, range);
  const auto count = static_cast<std::size_t>(range.count);
  const FoundFile& file = subject_.file;
  if (const Error error = read_at(file.fd, buffer_.get(), count, file.offset + range.first)) return failed(error);
  return sink.finish({buffer_.get(), count});
}

Task<Error> FileAnswer::send_large(BodySink& sink, ByteRange range) {
  const FoundFile& file = subject_.file;
  if (const Error error = co_await sink.write_file(file.fd, file.offset + range.first, range.count)) co_return error;
  co_return co_await sink.finish({});
}

Task<Error> FileAnswer::send_parts(Exchange& exchange, std::string_view cache_control) {
  multipart_.emplace(type_, subject_.file.size);
  range_text_ = multipart_->content_type();
  add_fields(206, range_text_, cache_control);
  const Answer answer{.status = 206, .fields = fields_, .length = multipart_->length(ranges_)};
  return write_parts(exchange.respond(answer));
}

/// Short parts are gathered, so that they go out together.
Task<Error> FileAnswer::write_parts(BodySink& sink) {
  const FoundFile& file = subject_.file;
  out_.clear();
  bool first = true;
  for (const ByteRange& range : ranges_) {
    multipart_->append_part_head(out_, range, std::exchange(first, false));
    if (range.count > kReadBytes) {
      if (const Error error = co_await flush(sink)) co_return error;
      if (const Error error = co_await sink.write_file(file.fd, file.offset + range.first, range.count))
        co_return error;
      continue;
    }
    if (const Error error = append_bytes(range)) co_return error;
    if (out_.size() < kReadBytes) continue;
    if (const Error error = co_await flush(sink)) co_return error;
  }
  multipart_->append_end(out_);
  co_return co_await sink.finish(out_);
}

Task<Error> FileAnswer::flush(BodySink& sink) {
  const Error error = co_await sink.write(out_);
  out_.clear();
  co_return error;
}

Error FileAnswer::append_bytes(const ByteRange& range) {
  const auto start = out_.size();
  out_.resize(start + static_cast<std::size_t>(range.count));
  return read_at(subject_.file.fd, out_.data() + start, out_.size() - start, subject_.file.offset + range.first);
}

}  // namespace fwd
