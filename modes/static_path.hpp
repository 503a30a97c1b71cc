#pragma once

#include <string>
#include <string_view>

namespace fwd {

/// What a request's path can name.
enum class PathKind {
  file,       // no slash at its end; a folder is possible
  folder,     // a slash at its end
  malformed,  // an escape that is none: 400
  nothing,    // what is never served: 404
};

/// Undoes the escapes of a raw path, once, into `out`: `/a//b%20c/` is `a/b c`, `/` is empty. Empty components count
/// for nothing. Nothing is served under a component that begins with a dot (`.well-known` at the root excepted; so
/// `..` never gets past here), under one with a NUL or a backslash, escaped or not, or with an escaped slash.
/// Shape:  `raw` without the query. After malformed or nothing, `out` is unspecified.
/// Source: RFC 3986 section 2.1; RFC 8615 for `.well-known`.
PathKind decode_path(std::string_view raw, std::string& out);

/// Takes the next component off the front of a path that is being followed. After one that ends with a slash, `rest` is
/// `.` at the least: it has to be a folder.
std::string take_component(std::string& rest);

/// Appends `name` so that it can stand as one component in a URL, or in HTML: what is not unreserved is escaped.
/// Source: RFC 3986 section 2.3.
void append_path_escaped(std::string& out, std::string_view name);

}  // namespace fwd
