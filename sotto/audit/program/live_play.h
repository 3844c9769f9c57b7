#pragma once

#include <string>
#include <vector>

#include "sotto/audit/program/program_run.h"

namespace sotto {

// The file of an outcome that has what a conversation told each row's user: a
// line a row, the answer to the question and the answer to its label.
inline constexpr const char* kLiveAnswers = "(conversation)";

// Talks with a program as `sotto run MODEL --live` does: a question a row
// without its label, and the label by ticket when the stream says so. A user
// who gets no ticket sends no label. What the program writes after its input
// has ended is the operator's own, and is dropped.
//
// A program that ends, hangs, writes too much or something that is no JSON is a
// fault with its row.
ProgramOutcome PlayLive(const ProgramCall& call,
                        const std::vector<std::string>& words,
                        const std::string& errors);

}  // namespace sotto
