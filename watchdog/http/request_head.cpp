#include "watchdog/http/request_head.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/optional/optional.hpp>

#include <limits>

namespace fwd {
namespace {

namespace http = boost::beast::http;
using BeastText = boost::beast::string_view;

std::string_view to_std(BeastText text) {
  return {text.data(), text.size()};
}

/// Collects the fields of one head as views into the bytes it is given. Everything else that Beast finds out is found
/// out again by check_framing, whose word counts.
class FieldParser final : public http::basic_parser<true> {
 public:
  explicit FieldParser(std::vector<Field>& fields) : fields_(fields) {
    header_limit(std::numeric_limits<std::uint32_t>::max());  // RequestLimits is checked before
    body_limit(boost::none);
  }

 private:
  using Code = boost::beast::error_code;

  void on_field_impl(http::field, BeastText name, BeastText value, Code&) override {
    fields_.push_back({to_std(name), to_std(value)});
  }
  void on_request_impl(http::verb, BeastText, BeastText, int, Code&) override {}
  void on_response_impl(int, BeastText, int, Code&) override {}
  void on_header_impl(Code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, Code&) override {}
  std::size_t on_body_impl(BeastText body, Code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, BeastText, Code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastText body, Code&) override { return body.size(); }
  void on_finish_impl(Code&) override {}

  std::vector<Field>& fields_;
};

}  // namespace

Error RequestHead::assign(std::string_view bytes, const RequestLimits& limits) {
  bytes_.assign(bytes);
  fields_.clear();
  fields_.reserve(16);  // enough for most clients, so that a connection allocates once
  line_ = {};
  parts_ = {};
  framing_ = {};
  minor_version_ = 1;
  keep_alive_ = false;
  return parse(limits);
}

Error RequestHead::parse(const RequestLimits& limits) {
  if (auto error = scan_head(bytes_, limits, line_)) return error;
  minor_version_ = line_.minor_version == 0 ? 0 : 1;
  // Beast knows 1.0 and 1.1 alone; RFC 9110 2.5 wants a later 1.x taken as the latest known.
  if (minor_version_ == 1)
    bytes_[static_cast<std::size_t>(line_.target.data() - bytes_.data()) + line_.target.size() + 8] = '1';

  FieldParser parser(fields_);
  boost::beast::error_code parse_error;
  const auto used = parser.put(boost::asio::buffer(bytes_), parse_error);
  if (parse_error || !parser.is_header_done() || used != bytes_.size()) return Errc::malformed_request;
  if (auto error = split_target(line_.method, line_.target, spare_, parts_)) return error;
  if (auto error = check_framing(minor_version_, fields_, framing_)) return error;
  keep_alive_ = !framing_.says_close && (minor_version_ >= 1 || framing_.says_keep_alive);
  return {};
}

std::optional<std::string_view> RequestHead::find(std::string_view name) const {
  for (const auto& field : fields_) {
    if (same_name(field.name, name)) return field.value;
  }
  return {};
}

bool RequestHead::is_for_this_hop(std::string_view name) const {
  if (is_hop_by_hop(name)) return true;
  if (!framing_.connection_names_fields) return false;
  for (const auto& field : fields_) {
    if (same_name(field.name, "connection") && has_token(field.value, name)) return true;
  }
  return false;
}

}  // namespace fwd
