#include "watchdog/http/cgi_environment.hpp"

#include <algorithm>

#include "watchdog/http/field.hpp"
#include "watchdog/http/percent.hpp"
#include "watchdog/http/trace_context.hpp"

namespace fwd {
namespace {

constexpr std::string_view kOpenFaasPrefix = "Http_";
constexpr std::string_view kCgiPrefix = "HTTP_";

/// Without escapes; as it came if one of them is malformed, or is NUL, which no environment can hold.
std::string decoded_path(std::string_view raw) {
  std::string path;
  const bool is_well_formed = append_percent_decoded(path, raw);
  return is_well_formed && path.find('\0') == std::string::npos ? path : std::string(raw);
}

/// `name.example` of `name.example:8080`, `[::1]` of `[::1]:80`.
std::string_view without_port(std::string_view host) {
  const auto colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos;
  return has_port ? host.substr(0, colon) : host;
}

/// Would make a variable that programs take for their proxy.
bool is_proxy(std::string_view name) {
  constexpr std::string_view kProxy = "proxy";
  if (name.size() < kProxy.size() || !same_name(name.substr(name.size() - kProxy.size()), kProxy)) return false;
  const auto rest = name.substr(0, name.size() - kProxy.size());
  return rest.empty() || rest.back() == '-' || rest.back() == '_';
}

bool is_any_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [name](std::string_view other) { return same_name(name, other); });
}

/// Letters, digits and '-' alone: two such names are never one variable.
bool is_plain_name(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

/// Every value of the fields called `name`, with `separator` in between.
std::string merged(const RequestHead& head, std::string_view name, std::string_view separator) {
  std::string all;
  bool is_first = true;
  for (const auto& field : head.fields()) {
    if (!same_name(field.name, name)) continue;
    if (!is_first) all += separator;
    all += field.value;
    is_first = false;
  }
  return all;
}

/// Makes the variables of one request.
class Variables {
 public:
  Variables(const RequestHead& head, const CgiFacts& facts, std::vector<std::string>& out)
      : head_(head), facts_(facts), out_(out), start_(out.size()) {}

  void add_openfaas(CgiFlavour flavour);
  void add_rfc3875();

 private:
  void add(std::string_view name, std::string_view value);
  void add_unless_empty(std::string_view name, std::string_view value);
  bool has(std::string_view name) const;
  bool is_replaced(std::string_view name) const;
  void add_openfaas_fields(CgiFlavour flavour, bool with_underscores);
  std::string openfaas_length() const;
  void add_cgi_request();
  void add_cgi_fields();
  void add_trace(std::string_view prefix, std::string_view traceparent, std::string_view tracestate);

  const RequestHead& head_;
  const CgiFacts& facts_;
  std::vector<std::string>& out_;
  std::size_t start_;  // of ours
};

void Variables::add(std::string_view name, std::string_view value) {
  auto& entry = out_.emplace_back();
  entry.reserve(name.size() + 1 + value.size());
  entry.append(name).append(1, '=').append(value);
}

void Variables::add_unless_empty(std::string_view name, std::string_view value) {
  if (!value.empty()) add(name, value);
}

bool Variables::has(std::string_view name) const {
  return std::any_of(out_.begin() + static_cast<std::ptrdiff_t>(start_), out_.end(), [name](const std::string& entry) {
    return entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name);
  });
}

/// The trace is sent on as facts_ has it, whatever the client's fields say.
bool Variables::is_replaced(std::string_view name) const {
  return !facts_.traceparent.empty() && is_any_of(name, {"traceparent", "tracestate"});
}

void Variables::add_openfaas(CgiFlavour flavour) {
  add_openfaas_fields(flavour, false);
  add_openfaas_fields(flavour, true);
  add("Http_Method", head_.method());
  add("Http_ContentLength", openfaas_length());
  if (flavour == CgiFlavour::classic) add("Http_Content_Length", openfaas_length());
  add_unless_empty("Http_Query", head_.query());
  add_unless_empty("Http_Path", decoded_path(head_.path()));
  if (head_.chunked()) add("Http_Transfer_Encoding", "chunked");
  add_unless_empty("Http_Host", head_.host());
  add_trace(kOpenFaasPrefix, "Traceparent", "Tracestate");
}

/// Names with an underscore come second, so that they find taken what they could claim (`X_1` and `X-1`).
void Variables::add_openfaas_fields(CgiFlavour flavour, bool with_underscores) {
  std::string name;
  for (const auto& field : head_.fields()) {
    if ((field.name.find('_') != std::string_view::npos) != with_underscores) continue;
    if (is_any_of(field.name, {"host", "transfer-encoding", "query", "method", "path"})) continue;
    if (flavour == CgiFlavour::classic && same_name(field.name, "content-length")) continue;
    if (is_proxy(field.name) || is_replaced(field.name)) continue;
    name = kOpenFaasPrefix;
    append_canonical(name, field.name);
    std::ranges::replace(name, '-', '_');
    if (!has(name)) add(name, field.value);
  }
}

std::string Variables::openfaas_length() const {
  return head_.chunked() ? "-1" : std::to_string(head_.content_length().value_or(0));
}

void Variables::add_rfc3875() {
  add("GATEWAY_INTERFACE", "CGI/1.1");
  add("SERVER_SOFTWARE", "fwatchdog");
  const auto name = without_port(head_.host());
  add("SERVER_NAME", name.empty() ? "localhost" : name);
  add("SERVER_PORT", std::to_string(facts_.local_port));
  add("SERVER_PROTOCOL", head_.minor_version() == 0 ? "HTTP/1.0" : "HTTP/1.1");
  add("REMOTE_ADDR", facts_.client_address);
  add_cgi_request();
  add_cgi_fields();
  add_trace(kCgiPrefix, "TRACEPARENT", "TRACESTATE");
}

void Variables::add_cgi_request() {
  add("REQUEST_METHOD", head_.method());
  add("REQUEST_URI", head_.path_and_query());
  add("SCRIPT_NAME", "");
  add("PATH_INFO", decoded_path(head_.path()));
  add("QUERY_STRING", head_.query());
  add("REDIRECT_STATUS", "200");
  const bool is_framed = head_.chunked() || head_.content_length();  // a length of 0 is a body too: RFC 9112 6.3
  if (is_framed && facts_.body_length) add("CONTENT_LENGTH", std::to_string(*facts_.body_length));
  if (const auto type = head_.find("content-type")) add("CONTENT_TYPE", *type);
}

void Variables::add_cgi_fields() {
  std::string name;
  add_unless_empty("HTTP_HOST", head_.host());
  for (const auto& field : head_.fields()) {
    if (!is_plain_name(field.name) || is_proxy(field.name) || is_replaced(field.name)) continue;
    if (is_any_of(field.name, {"host", "authorization", "content-length", "content-type"})) continue;
    if (head_.is_for_this_hop(field.name)) continue;
    name = kCgiPrefix;
    for (const char c : field.name) name += c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    if (!has(name)) add(name, merged(head_, field.name, same_name(field.name, "cookie") ? "; " : ", "));
  }
}

void Variables::add_trace(std::string_view prefix, std::string_view traceparent, std::string_view tracestate) {
  if (facts_.traceparent.empty()) return;
  add(std::string(prefix).append(traceparent), facts_.traceparent);
  add("TRACEPARENT", facts_.traceparent);
  const auto ours = TraceContext::parse(facts_.traceparent);
  const auto state = merged(head_, "tracestate", ",");
  if (state.empty() || !ours || !ours->continues(head_.find("traceparent"))) return;
  add(std::string(prefix).append(tracestate), state);
  add("TRACESTATE", state);
}

}  // namespace

void append_cgi_environment(const RequestHead& head, CgiFlavour flavour, const CgiFacts& facts,
                            std::vector<std::string>& out) {
  Variables variables(head, facts, out);
  if (flavour == CgiFlavour::rfc3875) {
    variables.add_rfc3875();
  } else {
    variables.add_openfaas(flavour);
  }
}

}  // namespace fwd
