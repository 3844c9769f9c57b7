#include "sotto/learners/learner_entry.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sotto {
namespace {

LearnerEntry OwnProgram() {
  return {.name = "exec",
          .help = "your own program",
          .program = true,
          .facts = [](const LearnerSpec&) { return LearnerFacts{}; },
          .make = [](const LearnerSpec&) -> Result<AnyLearner> {
            return InvalidArgument(
                "exec is a program, not a learner in this process");
          }};
}

std::vector<LearnerEntry> AllRows() {
  std::vector<LearnerEntry> rows = NumberLearners();
  for (auto part : {FeatureLearners(), ClassLearners()}) {
    std::ranges::move(part, std::back_inserter(rows));
  }
  rows.push_back(OwnProgram());
  return rows;
}

}  // namespace

const std::vector<LearnerEntry>& Learners() {
  static const std::vector<LearnerEntry> kRows = AllRows();
  return kRows;
}

const LearnerEntry* FindLearner(std::string_view name) {
  for (const LearnerEntry& entry : Learners()) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

}  // namespace sotto
