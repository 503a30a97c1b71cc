#pragma once

#include <string>

#include "modes/file_answer.hpp"
#include "modes/static_files.hpp"

namespace fwd {

/// One request for a file: finds what is meant, and answers. It keeps its buffers for the next request.
class StaticCall {
 public:
  /// Both outlive the call.
  StaticCall(const StaticOptions& options, const FileSource& source) : options_(options), source_(source) {}

  /// Errors: as FileAnswer::send().
  Task<Error> answer(Exchange& exchange);

  void reset() { file_.reset(); }

 private:
  Task<Error> answer_path(Exchange& exchange);
  Task<Error> answer_folder(Exchange& exchange);
  Task<Error> answer_listing(Exchange& exchange);
  Task<Error> answer_error(Exchange& exchange, const Error& error);
  Task<Error> redirect(Exchange& exchange, std::string_view to);
  Task<Error> redirect_to_folder(Exchange& exchange);
  Task<Error> send(Exchange& exchange, FoundFile found);

  const StaticOptions& options_;
  const FileSource& source_;
  FileAnswer file_;
  std::string path_;
  std::string text_;
};

}  // namespace fwd
