#include "sotto/learners/learner_row.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sotto {
namespace {

LearnerRow OwnProgram() {
  return {.name = "exec",
          .help = "a program of your own",
          .program = true,
          .facts = [](const LearnerSpec&) { return LearnerFacts{}; },
          .make = [](const LearnerSpec&) -> Result<AnyLearner> {
            return InvalidArgument(
                "exec is a program, not a learner in this process");
          }};
}

std::vector<LearnerRow> AllRows() {
  std::vector<LearnerRow> rows = NumberLearners();
  for (auto part : {FeatureLearners(), ClassLearners()}) {
    std::ranges::move(part, std::back_inserter(rows));
  }
  rows.push_back(OwnProgram());
  return rows;
}

}  // namespace

const std::vector<LearnerRow>& Learners() {
  static const std::vector<LearnerRow> kRows = AllRows();
  return kRows;
}

const LearnerRow* FindLearner(std::string_view name) {
  for (const LearnerRow& row : Learners()) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

}  // namespace sotto
