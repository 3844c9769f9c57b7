#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "sotto/audit/program/program_run.h"

namespace sotto {

// How the outputs of a program are to be read.
struct ProgramReading {
  // The file in {out} that has one line a row, for that row's user; "-" is
  // standard output; empty: there is none.
  std::string answers;
  std::size_t rows = 0;
  std::vector<std::string> allowed;  // answers; empty: any
  bool with_errors = false;          // standard error is public too
  bool with_output = true;           // standard output is public
  // Files of {out} that are noise through and through: words, lines and all.
  std::vector<std::string> noisy = {};
};

// What everybody may see of a run, taken apart into facts. `shapes` are words,
// empty lines, numbers of lines, names of files, the exit code: no noise is
// expected in them. `numbers` are all numbers, sizes of files and answers, by
// their place, and what a page or a noisy file tells of a published model.
struct PublicFacts {
  std::map<std::string, std::string> shapes;
  std::map<std::string, std::string> numbers;
};

// Leaves out the lines of the answers that belong to `own` rows.
PublicFacts ExtractFacts(const ProgramOutcome& outcome,
                         const ProgramReading& reading,
                         const std::vector<std::size_t>& own);

// The same as one text, byte for byte, but for the times that a run took.
std::string PublicText(const ProgramOutcome& outcome,
                       const ProgramReading& reading,
                       const std::vector<std::size_t>& own);

// What is wrong with a run, with its round where it has one; empty: nothing. A
// crash, a hang, a line too few or too many, an answer that is not allowed.
std::string FindFault(const ProgramOutcome& outcome,
                      const ProgramReading& reading);

}  // namespace sotto
