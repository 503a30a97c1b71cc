#pragma once

#include <string>
#include <string_view>

namespace fwd {

/// One field line of a head. Both views point into the head that owns the bytes; the value has no blanks around it.
struct Field {
  std::string_view name;
  std::string_view value;
};

/// True if two field names, or two case-insensitive tokens, are the same. ASCII only; no locale.
bool same_letters(std::string_view a, std::string_view b);  // of one length
inline bool same_name(std::string_view a, std::string_view b) { return a.size() == b.size() && same_letters(a, b); }

/// True if a comma-separated list holds `token`, whatever the case. Blanks around elements do not count.
/// Source: RFC 9110 section 5.6.1.
bool has_token(std::string_view list, std::string_view token);

/// Takes the next element off the front of a comma-separated `list`, without blanks; empty elements are skipped.
/// Returns an empty view once the list is used up.
std::string_view next_element(std::string_view& list);

/// `text` without blanks (space and tab) on both sides.
std::string_view trim_blanks(std::string_view text);

/// Appends `name` as Go writes it: a capital at the start and after each '-', the rest in lower case.
/// Old functions compare names exactly (`Content-Length`). Names come from a parsed head, so they are tokens.
/// Source: Go's textproto.CanonicalMIMEHeaderKey; reference/afterburn.md 3.3.
void append_canonical(std::string& out, std::string_view name);

/// The same into memory that has room for it. Returns where the name ends.
char* write_canonical(char* out, std::string_view name);

/// True for fields that concern one connection only and are never passed on: Connection, Keep-Alive, Proxy-Connection,
/// TE, Trailer, Transfer-Encoding, Upgrade, and Proxy-Authenticate and Proxy-Authorization too, as Go's ReverseProxy
/// does: credentials for a proxy are not the function's business.
/// Source: RFC 9110 section 7.6.1; RFC 2616 section 13.5.1 for the last two.
bool is_hop_by_hop(std::string_view name);

/// True if `name` is a token: one or more of the characters that names and methods consist of.
/// Source: RFC 9110 section 5.6.2.
bool is_token(std::string_view name);

/// True if `c` may stand in a token.
bool is_token_char(char c);

/// True if a field value holds neither NUL, CR, LF nor another control character; tabs and bytes above 127 are fine.
bool is_field_value(std::string_view value);

}  // namespace fwd
