#include "sotto/audit/program/program_run.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr int kNoSuchProgram = 127;
constexpr std::chrono::milliseconds kNap{2};

Error Unavailable(const std::string& what) {
  return {ErrorCode::kUnavailable, what};
}

// A folder that is gone with the object.
class Scratch {
 public:
  Scratch() {
    std::string pattern =
        (fs::temp_directory_path() / "sotto-audit-XXXXXX").string();
    if (::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool WriteAll(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  return file.good();
}

std::string Replaced(std::string word, const std::string& what,
                     const std::string& by) {
  for (std::size_t at = word.find(what); at != std::string::npos;
       at = word.find(what, at + by.size())) {
    word.replace(at, what.size(), by);
  }
  return word;
}

void Redirect(const char* path, int flags, int descriptor) {
  const int file = ::open(path, flags, 0600);
  if (file >= 0) ::dup2(file, descriptor);
}

// In the child: never returns.
[[noreturn]] void Become(const std::vector<std::string>& words,
                         const std::string& in, const std::string& out,
                         const std::string& error) {
  ::setpgid(0, 0);
  Redirect(in.c_str(), O_RDONLY, STDIN_FILENO);
  Redirect(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  Redirect(error.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(kNoSuchProgram);
}

// Waits, and ends what takes too long with all that it started.
void Wait(pid_t child, std::chrono::milliseconds timeout,
          ProgramOutcome& outcome) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  int status = 0;
  for (;;) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child) break;
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      outcome.end = ProgramOutcome::End::kHung;
      return;
    }
    std::this_thread::sleep_for(kNap);
  }
  if (WIFSIGNALED(status)) {
    outcome.end = ProgramOutcome::End::kCrashed;
    outcome.code = WTERMSIG(status);
  } else {
    outcome.code = WEXITSTATUS(status);
  }
}

void Collect(const fs::path& folder, ProgramOutcome& outcome) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    outcome.files[fs::relative(entry.path(), folder).string()] =
        ReadAll(entry.path());
  }
}

}  // namespace

Result<ProgramOutcome> RunProgramOnce(const ProgramCall& call) {
  const Scratch scratch;
  if (scratch.path().empty()) return Unavailable("no folder for files");
  const fs::path data = scratch.path() / ("stream." + call.ending);
  const fs::path folder = scratch.path() / "out";
  std::error_code made;
  fs::create_directory(folder, made);
  if (made || !WriteAll(data, call.stream)) {
    return Unavailable("no room for the stream");
  }
  std::vector<std::string> words;
  bool named = false;
  for (const std::string& word : call.command) {
    named = named || word.find("{data}") != std::string::npos;
    words.push_back(Replaced(Replaced(word, "{data}", data.string()), "{out}",
                             folder.string()));
  }
  if (words.empty()) return InvalidArgument("no command to audit");
  const std::string in = named ? "/dev/null" : data.string();
  const std::string out = (scratch.path() / "stdout").string();
  const std::string error = (scratch.path() / "stderr").string();
  const pid_t child = ::fork();
  if (child < 0) return Unavailable(std::strerror(errno));
  if (child == 0) Become(words, in, out, error);
  ProgramOutcome outcome;
  Wait(child, call.timeout, outcome);
  if (outcome.end == ProgramOutcome::End::kExited &&
      outcome.code == kNoSuchProgram) {
    return Unavailable("cannot run " + words[0]);
  }
  outcome.out = ReadAll(out);
  outcome.error = ReadAll(error);
  Collect(folder, outcome);
  return outcome;
}

}  // namespace sotto
