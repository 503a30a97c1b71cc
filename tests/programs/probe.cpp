// A helper child with verbs, for tests that need a real process: `probe VERB [ARGUMENT]`.
#include <dirent.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

/// Echoes stdin to stdout, byte for byte, until its end.
int cat() {
  char bytes[65536];
  for (ssize_t count; (count = ::read(0, bytes, sizeof bytes)) > 0;) {
    for (ssize_t done = 0; done < count;) {
      const ssize_t written = ::write(1, bytes + done, static_cast<std::size_t>(count - done));
      if (written <= 0) return 1;
      done += written;
    }
  }
  return 0;
}

/// Prints the numbers of the descriptors that are open.
int list_descriptors() {
  DIR* directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return 1;
  std::string text;
  while (const dirent* entry = ::readdir(directory)) {
    if (entry->d_name[0] == '.' || std::atoi(entry->d_name) == ::dirfd(directory)) continue;
    text += std::string(entry->d_name) + "\n";
  }
  ::closedir(directory);
  std::fputs(text.c_str(), stdout);
  return 0;
}

/// Prints the signals that are blocked or ignored here; nothing when all are as a program expects.
int list_signals() {
  sigset_t blocked;
  ::sigprocmask(SIG_BLOCK, nullptr, &blocked);
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};
    const bool ignored = ::sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (ignored || ::sigismember(&blocked, number) == 1) std::printf("%d\n", number);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  const char* argument = argc > 2 ? argv[2] : "";
  if (verb == "exit") return std::atoi(argument);
  if (verb == "cat") return cat();
  if (verb == "print") return std::fputs(argument, stdout) < 0 ? 1 : 0;
  if (verb == "complain") return std::fputs(argument, stderr) < 0 ? 1 : 0;
  if (verb == "descriptors") return list_descriptors();
  if (verb == "signals") return list_signals();
  if (verb == "environment") return std::printf("%s", std::getenv(argument) ? std::getenv(argument) : "(unset)") < 0;
  if (verb == "wait") return ::pause();
  if (verb == "answer-on-3") return ::write(3, argument, std::strlen(argument)) < 0 ? 1 : 0;
  std::fprintf(stderr, "probe: unknown verb %s\n", verb.c_str());
  return 64;
}
