#include "modes/mime_types.hpp"

#include <algorithm>
#include <array>

namespace fwd {
namespace {

struct Row {
  std::string_view extension;
  MimeType meaning;
};

constexpr auto kRows = std::to_array<Row>({
    {"3gp", {"video/3gpp", false}},
    {"7z", {"application/x-7z-compressed", false}},
    {"aac", {"audio/aac", false}},
    {"apk", {"application/vnd.android.package-archive", false}},
    {"apng", {"image/apng", false}},
    {"atom", {"application/atom+xml", true}},
    {"avi", {"video/x-msvideo", false}},
    {"avif", {"image/avif", false}},
    {"bin", {"application/octet-stream", false}},
    {"bmp", {"image/bmp", true}},
    {"br", {"application/x-brotli", false}},
    {"bz2", {"application/x-bzip2", false}},
    {"c", {"text/x-c; charset=utf-8", true}},
    {"cpp", {"text/x-c++; charset=utf-8", true}},
    {"css", {"text/css; charset=utf-8", true}},
    {"csv", {"text/csv; charset=utf-8", true}},
    {"deb", {"application/vnd.debian.binary-package", false}},
    {"dmg", {"application/x-apple-diskimage", false}},
    {"doc", {"application/msword", true}},
    {"docx", {"application/vnd.openxmlformats-officedocument.wordprocessingml.document", false}},
    {"eot", {"application/vnd.ms-fontobject", true}},
    {"epub", {"application/epub+zip", false}},
    {"exe", {"application/vnd.microsoft.portable-executable", false}},
    {"flac", {"audio/flac", false}},
    {"geojson", {"application/geo+json", true}},
    {"gif", {"image/gif", false}},
    {"glb", {"model/gltf-binary", true}},
    {"gltf", {"model/gltf+json", true}},
    {"gz", {"application/gzip", false}},
    {"h", {"text/x-c; charset=utf-8", true}},
    {"heic", {"image/heic", false}},
    {"htm", {"text/html; charset=utf-8", true}},
    {"html", {"text/html; charset=utf-8", true}},
    {"ico", {"image/vnd.microsoft.icon", true}},
    {"ics", {"text/calendar; charset=utf-8", true}},
    {"iso", {"application/x-iso9660-image", false}},
    {"jar", {"application/java-archive", false}},
    {"jpeg", {"image/jpeg", false}},
    {"jpg", {"image/jpeg", false}},
    {"js", {"text/javascript; charset=utf-8", true}},
    {"json", {"application/json", true}},
    {"json5", {"application/json5", true}},
    {"jsonld", {"application/ld+json", true}},
    {"jxl", {"image/jxl", false}},
    {"log", {"text/plain; charset=utf-8", true}},
    {"m3u8", {"application/vnd.apple.mpegurl", true}},
    {"m4a", {"audio/mp4", false}},
    {"m4v", {"video/mp4", false}},
    {"map", {"application/json", true}},
    {"md", {"text/markdown; charset=utf-8", true}},
    {"mid", {"audio/midi", true}},
    {"mjs", {"text/javascript; charset=utf-8", true}},
    {"mkv", {"video/matroska", false}},
    {"mov", {"video/quicktime", false}},
    {"mp3", {"audio/mpeg", false}},
    {"mp4", {"video/mp4", false}},
    {"mpd", {"application/dash+xml", true}},
    {"mpeg", {"video/mpeg", false}},
    {"ndjson", {"application/x-ndjson", true}},
    {"odp", {"application/vnd.oasis.opendocument.presentation", false}},
    {"ods", {"application/vnd.oasis.opendocument.spreadsheet", false}},
    {"odt", {"application/vnd.oasis.opendocument.text", false}},
    {"oga", {"audio/ogg", false}},
    {"ogg", {"audio/ogg", false}},
    {"ogv", {"video/ogg", false}},
    {"opus", {"audio/ogg", false}},
    {"otf", {"font/otf", true}},
    {"pdf", {"application/pdf", false}},
    {"pem", {"application/x-pem-file", true}},
    {"png", {"image/png", false}},
    {"ppt", {"application/vnd.ms-powerpoint", true}},
    {"pptx", {"application/vnd.openxmlformats-officedocument.presentationml.presentation", false}},
    {"ps", {"application/postscript", true}},
    {"py", {"text/x-python; charset=utf-8", true}},
    {"rar", {"application/vnd.rar", false}},
    {"rpm", {"application/x-rpm", false}},
    {"rss", {"application/rss+xml", true}},
    {"rtf", {"application/rtf", true}},
    {"sh", {"text/x-shellscript; charset=utf-8", true}},
    {"sql", {"application/sql", true}},
    {"srt", {"application/x-subrip", true}},
    {"svg", {"image/svg+xml", true}},
    {"tar", {"application/x-tar", false}},
    {"tgz", {"application/gzip", false}},
    {"tif", {"image/tiff", false}},
    {"tiff", {"image/tiff", false}},
    {"toml", {"application/toml", true}},
    {"ts", {"video/mp2t", false}},
    {"tsv", {"text/tab-separated-values; charset=utf-8", true}},
    {"ttc", {"font/collection", true}},
    {"ttf", {"font/ttf", true}},
    {"txt", {"text/plain; charset=utf-8", true}},
    {"vcf", {"text/vcard; charset=utf-8", true}},
    {"vtt", {"text/vtt; charset=utf-8", true}},
    {"wasm", {"application/wasm", true}},
    {"wav", {"audio/wav", false}},
    {"weba", {"audio/webm", false}},
    {"webm", {"video/webm", false}},
    {"webmanifest", {"application/manifest+json", true}},
    {"webp", {"image/webp", false}},
    {"woff", {"font/woff", false}},
    {"woff2", {"font/woff2", false}},
    {"xhtml", {"application/xhtml+xml", true}},
    {"xls", {"application/vnd.ms-excel", true}},
    {"xlsx", {"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", false}},
    {"xml", {"text/xml; charset=utf-8", true}},
    {"xsl", {"text/xml; charset=utf-8", true}},
    {"xz", {"application/x-xz", false}},
    {"yaml", {"application/yaml", true}},
    {"yml", {"application/yaml", true}},
    {"zip", {"application/zip", false}},
    {"zst", {"application/zstd", false}},
});
static_assert(std::ranges::is_sorted(kRows, {}, &Row::extension));

constexpr std::size_t kLongest = [] {
  std::size_t longest = 0;
  for (const Row& row : kRows) longest = std::max(longest, row.extension.size());
  return longest;
}();

}  // namespace

MimeType mime_type_of(std::string_view name) {
  const auto dot = name.find_last_of("./");
  if (dot == std::string_view::npos || name[dot] == '/' || name.size() - dot - 1 > kLongest) return {};
  std::array<char, kLongest> lowered;
  const auto end = std::ranges::transform(name.substr(dot + 1), lowered.begin(), [](char c) {
                     return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
                   }).out;
  const std::string_view extension(lowered.begin(), end);
  const auto row = std::ranges::lower_bound(kRows, extension, {}, &Row::extension);
  return row != kRows.end() && row->extension == extension ? row->meaning : MimeType{};
}

}  // namespace fwd
