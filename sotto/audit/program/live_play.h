#pragma once

#include <string>
#include <vector>

#include "sotto/audit/program/program_run.h"

namespace sotto {

// Name of the outcome's file with the answers to each row's user: a line a row,
// the answer to the question and the answer to its label.
inline constexpr const char* kLiveAnswers = "(conversation)";

// Plays the client of `sotto run MODEL --live`: sends a question for each row
// without its label, and the label by ticket at the time given by the stream. A
// user without a ticket sends no label. Output after the end of input belongs
// to the operator and is dropped.
//
// A program that ends, hangs, writes too much or invalid JSON is a fault with
// its row.
ProgramOutcome PlayLive(const ProgramCall& call,
                        const std::vector<std::string>& words,
                        const std::string& errors);

}  // namespace sotto
