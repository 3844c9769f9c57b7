#include "sotto/learners/classes/class_report.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/decomposition.h"
#include "sotto/learners/classes/named_class.h"

namespace sotto {
namespace {

// Beyond these the exact decomposition takes too long, and a search for fewest
// points gives up.
constexpr std::size_t kMaxDecomposed = 24;
constexpr std::uint64_t kReductionSteps = 1'000'000;

// A node takes time in proportion to the matrix: some ten seconds for all.
std::uint64_t UsualNodes(const FiniteClass& functions) {
  constexpr std::uint64_t kMost = 20'000'000;
  constexpr std::uint64_t kWork = 4'000'000'000'000;
  return std::min(kMost, 1 + kWork / functions.size() / functions.points());
}

ClassReport::Decomposed Decompose(const ClassQuestions& questions,
                                  int dimension, LittlestoneDimension& search) {
  const FiniteClass& functions = search.functions();
  ClassReport::Decomposed made{.p = *questions.decompose,
                               .d = questions.for_dimension.value_or(dimension),
                               .exact = functions.size() <= kMaxDecomposed &&
                                        functions.points() <= kMaxDecomposed};
  Decomposition decomposition(search, {.p = made.p, .d = made.d});
  const auto all = functions.All();
  const DecompositionTree tree =
      made.exact ? decomposition.Optimal(all) : decomposition.Greedy(all);
  made.degree = tree.degree();
  made.leaves = tree.leaves();
  made.top = made.exact ? decomposition.Essential(all)
                        : decomposition.TopLabels(tree, tree.nodes.size());
  return made;
}

// Irreducibility and decomposition, of a class whose dimension is known.
Status Explore(const ClassQuestions& questions, const FiniteClass& functions,
               ClassReport& report) {
  if (!questions.irreducible && !questions.decompose) return Ok();
  if (report.bounds.lo < report.bounds.hi) {
    return InvalidArgument(
        "--irreducible and --decompose need the dimension; allow more --nodes");
  }
  if (questions.for_dimension.value_or(report.bounds.lo) < report.bounds.lo) {
    return InvalidArgument("--for-dimension: expected at least " +
                           std::to_string(report.bounds.lo) +
                           ", the dimension of the class");
  }
  LittlestoneDimension search(functions);
  if (questions.irreducible) {
    report.fewest =
        Irreducibility(search).Search(functions.All(), kReductionSteps);
  }
  if (questions.decompose) {
    report.decomposed = Decompose(questions, report.bounds.lo, search);
  }
  return Ok();
}

Status FromClosedForm(const NamedClass& named, ClassReport& report) {
  report.functions = named.size;
  report.points = named.points;
  report.closed_form = true;
  report.bounds = {.lo = *named.dimension, .hi = *named.dimension};
  if (!named.tree || *named.dimension > ClassReport::kMaxTreeDepth) return Ok();
  report.tree = named.tree();
  return CheckMistakeTree(*report.tree, named.size, named.points, named.rule);
}

Status FromSearch(const ClassQuestions& questions, const FiniteClass& functions,
                  ClassReport& report) {
  report.functions = functions.size();
  report.points = functions.points();
  report.bounds = SearchDimension(
      functions, {.max_nodes = questions.nodes.value_or(UsualNodes(functions)),
                  .threads = questions.threads,
                  .progress = questions.progress});
  report.tree = std::move(report.bounds.tree);
  SOTTO_TRY(CheckMistakeTree(*report.tree, functions));
  return Explore(questions, functions, report);
}

// Returns true if the closed form answers: it has a tree that can be made, or
// the class is too large to build.
bool IsKnown(const NamedClass& named) {
  if (!named.dimension) return false;
  return named.points > FiniteClass::kMaxBits / named.size ||
         (named.tree && *named.dimension <= ClassReport::kMaxTreeDepth);
}

Status FindOut(const ClassQuestions& questions, ClassReport& report) {
  const bool needs_class =
      questions.irreducible || questions.decompose || questions.take_class;
  if (NamesClass(report.name)) {
    SOTTO_TRY_ASSIGN(const auto named, NamedClass::Parse(report.name));
    if (IsKnown(named) && !needs_class) return FromClosedForm(named, report);
  }
  SOTTO_TRY_ASSIGN(const auto functions, ReadClass(report.name));
  if (questions.take_class) SOTTO_TRY(questions.take_class(functions));
  return FromSearch(questions, functions, report);
}

}  // namespace

Result<ClassReport> ExamineClass(const std::string& name,
                                 const ClassQuestions& questions) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  ClassReport report{.name = name};
  SOTTO_TRY(FindOut(questions, report));
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

}  // namespace sotto
