#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sotto/audit/program/program_run.h"

namespace sotto {

// Describes how to read the outputs of a program.
struct ProgramReading {
  // The file in {out} that has one line a row, for that row's user; "-" is
  // standard output; empty: there is none.
  std::string answers;
  std::size_t rows = 0;
  std::vector<std::string> allowed;  // answers; empty: any
  bool with_errors = false;          // standard error is public too
  bool with_output = true;           // standard output is public
  // Files of {out} that consist of noise: words, lines and numbers.
  std::vector<std::string> noisy = {};
};

// The public facts of a run. `shapes` are words, empty lines, numbers of lines,
// names of files and the exit code, which have no noise. `numbers` are all
// numbers, sizes of files and answers, by their place, and the published model
// in a page or a noisy file.
struct PublicFacts {
  std::map<std::string, std::string> shapes;
  std::map<std::string, std::string> numbers;
};

// Omits the lines of the answers that belong to `own` rows, and running times.
PublicFacts ExtractFacts(const ProgramOutcome& outcome,
                         const ProgramReading& reading,
                         const std::vector<std::size_t>& own);

// The same as one text, byte for byte, without running times.
std::string PublicText(const ProgramOutcome& outcome,
                       const ProgramReading& reading,
                       const std::vector<std::size_t>& own);

// The error of a run, with its round where it has one; empty if there is none.
// A crash, a hang, a line too few or too many, an answer that is not allowed.
std::string FindFault(const ProgramOutcome& outcome,
                      const ProgramReading& reading);

}  // namespace sotto
