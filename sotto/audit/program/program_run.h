#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sotto/audit/program/neighbours.h"
#include "sotto/base/result.h"

namespace sotto {

// Runs a program once to its end and collects its output.
//
//   auto left = RunProgramOnce({.command = {"./mine", "{data}", "{out}/p"},
//                               .stream = stream});
//
// In the command, {data} is a file with the stream, {out} an empty folder and
// {seed} a number; without {data} the stream is its standard input, and a live
// one a conversation there (live_play.h). Files in {out} are read and removed.
// Child processes are ended with the program.
//
// Threads: may be called from many at a time.
struct ProgramCall {
  std::vector<std::string> command;
  ProgramStream stream;
  bool gzipped = false;  // the file of the stream
  std::uint64_t seed = 0;
  std::chrono::milliseconds timeout{60'000};
  // Maximum size of every file that it writes, including standard output.
  std::size_t most_bytes = std::size_t{1} << 28;
};

struct ProgramOutcome {
  enum class End { kExited, kCrashed, kHung };
  End end = End::kExited;
  int code = 0;  // exit code, or the signal it crashed by
  std::string out;
  std::string error;
  std::map<std::string, std::string> files;  // of {out}
  // Error of a conversation, with its place.
  std::string fault = {};
};

// Fails with kUnavailable if there is no such program or no room for files.
Result<ProgramOutcome> RunProgramOnce(const ProgramCall& call);

// A folder that is removed by the destructor, or when the process ends by
// std::quick_exit. Empty if none could be created.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Fails with kUnavailable.
Status WriteText(const std::filesystem::path& path, const std::string& text);

}  // namespace sotto
