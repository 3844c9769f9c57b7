#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "sotto/base/result.h"

namespace sotto {

// A program, run once to its end, and all that it left.
//
//   auto left = RunProgramOnce({.command = {"./mine", "{data}", "{out}/p"},
//                               .stream = "a,y\n1,0\n"});
//
// In the words of the command {data} stands for a file with the stream and
// {out} for an empty folder of its own; without {data} the stream is its
// standard input. What it writes into {out} is read back and removed.
//
// Threads: may be called from many at a time.
struct ProgramCall {
  std::vector<std::string> command;
  std::string stream;
  std::string ending = "csv";  // of the file's name
  std::chrono::milliseconds timeout{60'000};
};

struct ProgramOutcome {
  enum class End { kExited, kCrashed, kHung };
  End end = End::kExited;
  int code = 0;  // exit code, or the signal it crashed by
  std::string out;
  std::string error;
  std::map<std::string, std::string> files;  // of {out}
};

// Fails with kUnavailable if there is no such program or no room for files.
Result<ProgramOutcome> RunProgramOnce(const ProgramCall& call);

}  // namespace sotto
