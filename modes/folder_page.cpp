#include "modes/folder_page.hpp"

#include "modes/static_path.hpp"

namespace fwd {
namespace {

void append_html_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&#34;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

}  // namespace

std::string folder_page(std::span<const FolderEntry> entries) {
  std::string page = "<!doctype html>\n<meta charset=\"utf-8\">\n<pre>\n";
  for (const FolderEntry& entry : entries) {
    const std::string_view slash = entry.folder ? "/" : "";
    page += "<a href=\"";
    append_path_escaped(page, entry.name);
    page += slash;
    page += "\">";
    append_html_escaped(page, entry.name);
    page += slash;
    page += "</a>\n";
  }
  if (entries.size() >= kMostListed) page += "and more\n";
  page += "</pre>\n";
  return page;
}

}  // namespace fwd
