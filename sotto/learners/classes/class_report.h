#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/base/result.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/classes/irreducibility.h"
#include "sotto/learners/classes/mistake_tree.h"

namespace sotto {

// Questions about a finite class beside its dimension.
struct ClassQuestions {
  bool irreducible = false;  // the fewest points that reduce it
  // p and d of a decomposition; without d, the dimension of the class.
  std::optional<std::uint64_t> decompose = {};
  std::optional<int> for_dimension = {};
  std::optional<std::uint64_t> nodes = {};  // of the search, at most
  std::size_t threads = 2;
  std::function<void(const DimensionBounds&)> progress = {};
  // Called with the class, which is then built even where a closed form would
  // do.
  std::function<Status(const FiniteClass&)> take_class = {};
};

// The dimension of a class, a tree that proves it, and other facts.
//
//   auto report = ExamineClass("thresholds:256", {});
//   std::cout << ClassReportText(*report, 3);
//
// Threads: a value type.
struct ClassReport {
  struct Decomposed {
    std::uint64_t p = 1;
    int d = 0;
    bool exact = false;  // else: of one valid tree, greedily made
    int degree = 0;
    std::size_t leaves = 0;
    // The labels of leaves of the largest dimension: those in every optimal
    // tree if exact, else those of this tree.
    std::vector<std::vector<bool>> top = {};
  };
  // A deeper tree is not made.
  static constexpr int kMaxTreeDepth = 20;

  std::string name = {};
  std::uint64_t functions = 0;
  std::uint64_t points = 0;
  bool closed_form = false;
  DimensionBounds bounds = {};
  std::optional<MistakeTree> tree = {};
  std::optional<Irreducibility::Fewest> fewest = {};
  std::optional<Decomposed> decomposed = {};
  double seconds = 0;
};

// `name` is a file or a named class. Fails with kInvalidArgument.
Result<ClassReport> ExamineClass(const std::string& name,
                                 const ClassQuestions& questions);

// With the tree if `whole_tree`.
Json ClassReportJson(const ClassReport& report, bool whole_tree);
// The report as text, with `levels` levels of the tree.
std::string ClassReportText(const ClassReport& report, int levels);

}  // namespace sotto
