#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/base/json.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/irreducibility.h"
#include "sotto/learners/classes/mistake_tree.h"

namespace sotto::app {

// The results of `sotto ldim`.
struct LdimReport {
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

// With the tree if `whole_tree`.
Json LdimJson(const LdimReport& report, bool whole_tree);
// The report as text, with `levels` levels of the tree.
std::string LdimText(const LdimReport& report, int levels);

}  // namespace sotto::app
