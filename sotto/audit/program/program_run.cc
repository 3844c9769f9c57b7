#include "sotto/audit/program/program_run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "sotto/audit/program/live_play.h"

namespace sotto {
namespace {

namespace fs = std::filesystem;

constexpr int kNoSuchProgram = 127;
constexpr std::chrono::milliseconds kNap{2};

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string Replaced(std::string word, const std::string& what,
                     const std::string& by) {
  for (std::size_t at = word.find(what); at != std::string::npos;
       at = word.find(what, at + by.size())) {
    word.replace(at, what.size(), by);
  }
  return word;
}

std::string Gzipped(const std::string& text) {
  z_stream stream{};
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kMemory = 8;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzip, kMemory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return "";
  }
  std::string packed(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in =
      reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // not written
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Files and words of one run.
struct Place {
  fs::path data;
  fs::path folder;
  std::string out;
  std::string error;
  std::vector<std::string> words;
  bool named = false;  // {data} is in the command
};

Result<Place> Prepare(const ProgramCall& call, const fs::path& scratch) {
  if (scratch.empty()) return Unavailable("no folder for files");
  if (call.command.empty()) return InvalidArgument("no command to audit");
  const std::string ending = call.stream.format + (call.gzipped ? ".gz" : "");
  Place place{.data = scratch / ("stream." + ending),
              .folder = scratch / "out",
              .out = (scratch / "stdout").string(),
              .error = (scratch / "stderr").string(),
              .words = {}};
  std::error_code made;
  fs::create_directory(place.folder, made);
  if (made) return Unavailable("no room for files");
  const std::string text = call.stream.Text();
  if (Status written =
          WriteText(place.data, call.gzipped ? Gzipped(text) : text);
      !written) {
    return written.error();
  }
  for (const std::string& word : call.command) {
    place.named = place.named || word.find("{data}") != std::string::npos;
    std::string prediction = Replaced(word, "{data}", place.data.string());
    prediction =
        Replaced(std::move(prediction), "{seed}", std::to_string(call.seed));
    place.words.push_back(
        Replaced(std::move(prediction), "{out}", place.folder.string()));
  }
  return place;
}

void Redirect(const char* path, int flags, int descriptor) {
  const int file = ::open(path, flags, 0600);
  if (file >= 0) ::dup2(file, descriptor);
}

// In the child, where nothing may be allocated: never returns.
[[noreturn]] void Become(char* const* arguments, const char* in,
                         const Place& place, std::size_t most_bytes) {
  ::setpgid(0, 0);
  ::signal(SIGXFSZ, SIG_DFL);
  const rlimit limit{most_bytes, most_bytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  Redirect(in, O_RDONLY, STDIN_FILENO);
  Redirect(place.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  Redirect(place.error.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  ::execvp(arguments[0], arguments);
  ::_exit(kNoSuchProgram);
}

// Waits, ends the program after the timeout, then ends its remaining children.
void Wait(pid_t child, std::chrono::milliseconds timeout,
          ProgramOutcome& outcome) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) != child) {
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      outcome.end = ProgramOutcome::End::kHung;
      return;
    }
    std::this_thread::sleep_for(kNap);
  }
  ::kill(-child, SIGKILL);
  if (WIFSIGNALED(status)) {
    outcome.end = ProgramOutcome::End::kCrashed;
    outcome.code = WTERMSIG(status);
  } else {
    outcome.code = WEXITSTATUS(status);
  }
}

Status Spawn(const ProgramCall& call, Place& place, ProgramOutcome& outcome) {
  std::vector<char*> arguments;
  for (std::string& word : place.words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string in = place.named ? "/dev/null" : place.data.string();
  const pid_t child = ::fork();
  if (child < 0) return Unavailable(std::strerror(errno));
  if (child == 0) {
    Become(arguments.data(), in.c_str(), place, call.most_bytes);
  }
  ::setpgid(child, child);  // either process may be first
  Wait(child, call.timeout, outcome);
  if (outcome.end == ProgramOutcome::End::kExited &&
      outcome.code == kNoSuchProgram) {
    return Unavailable("cannot run " + place.words[0]);
  }
  outcome.out = ReadAll(place.out);
  return Ok();
}

void Collect(const fs::path& folder, ProgramOutcome& outcome) {
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    outcome.files[fs::relative(entry.path(), folder).string()] =
        ReadAll(entry.path());
  }
}

// All existing folders. They hold users' data, so they are removed when the
// process ends by std::quick_exit.
class Folders {
 public:
  static Folders& Get() {
    static Folders& folders = *new Folders;  // outlives all threads
    return folders;
  }
  void Add(const fs::path& path) {
    const std::scoped_lock lock(mutex_);
    paths_.insert(path);
  }
  void Remove(const fs::path& path) {
    const std::scoped_lock lock(mutex_);
    std::error_code ignored;
    fs::remove_all(path, ignored);
    paths_.erase(path);
  }

 private:
  Folders() {
    std::at_quick_exit([] { Get().RemoveAll(); });
  }
  void RemoveAll() {
    const std::scoped_lock lock(mutex_);
    std::error_code ignored;
    for (const fs::path& path : paths_) fs::remove_all(path, ignored);
  }

  std::mutex mutex_;
  std::set<fs::path> paths_;
};

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string pattern =
      (fs::temp_directory_path() / "sotto-audit-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return;
  path_ = pattern;
  Folders::Get().Add(path_);
}

ScratchFolder::~ScratchFolder() {
  if (!path_.empty()) Folders::Get().Remove(path_);
}

Status WriteText(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file.good()) return Unavailable("no room for " + path.string());
  return Ok();
}

Result<ProgramOutcome> RunProgramOnce(const ProgramCall& call) {
  const ScratchFolder scratch;
  SOTTO_TRY_ASSIGN(auto place, Prepare(call, scratch.path()));
  ProgramOutcome outcome;
  if (call.stream.format == "live") {
    outcome = PlayLive(call, place.words, place.error);
  } else if (Status ran = Spawn(call, place, outcome); !ran) {
    return ran.error();
  }
  outcome.error = ReadAll(place.error);
  // Every run has another folder, so its name is not compared.
  const std::string folder = scratch.path().string();
  outcome.out = Replaced(std::move(outcome.out), folder, "{folder}");
  outcome.error = Replaced(std::move(outcome.error), folder, "{folder}");
  Collect(place.folder, outcome);
  return outcome;
}

}  // namespace sotto
