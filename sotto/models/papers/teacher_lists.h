#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sotto/learners/classes/decomposition.h"
#include "sotto/learners/classes/finite_class.h"
#include "sotto/learners/classes/littlestone_dimension.h"
#include "sotto/mechanisms/selection/sparse_sample.h"

namespace sotto {

// Proposals of a teacher who has narrowed a class down to some functions: the
// (p, d)-essential hypotheses of that set, as items of a SparseSample.
//
//   TeacherLists lists({.functions = functions, .dimension = 3,
//                       .list_size = 64});
//   const auto& items = lists.Of(set, 8);      // p = 8
//   const auto& labels = lists.labels(items[0]);
//
// A list is a function of its set and of public numbers alone, and has at most
// list_size items: longer ones are cut to those whose labels come first, as
// words of 0 and 1.
//
// Paper:   [Littlestone] Definition 4.3.
// Proof:   teacher_lists.md.
// Threads: not thread-safe.
class TeacherLists {
 public:
  using Labels = Decomposition::Labels;
  using Item = SparseSample::Item;

  enum class Form : std::uint8_t {
    kExact,   // the essential hypotheses: classes of at most kMaxExact
    kGreedy,  // a substitute: the top leaves of one quick tree
    kPoints,  // the essential hypotheses of points:N, by a formula
  };
  static constexpr std::size_t kMaxExact = 16;
  static constexpr std::size_t kMaxSize = std::size_t{1} << 20;
  static constexpr std::uint64_t kMaxP = std::uint64_t{1} << 20;

  struct Params {
    std::shared_ptr<const FiniteClass> functions = nullptr;
    int dimension = 0;  // d: at least the class's, at most 20
    std::size_t list_size = 1;
    Form form = Form::kExact;
  };

  // Fails with kInvalidArgument on parameters out of range; and unless `p`
  // takes every set apart, for kExact with a class of more than kMaxExact
  // functions, and with a dimension that is not known to be large enough.
  static Status Check(const Params& params, std::uint64_t p);
  // Requires: Check.
  explicit TeacherLists(Params params)
      : params_(std::move(params)), dimension_(*params_.functions) {}
  TeacherLists(const TeacherLists&) = delete;  // it points into itself
  TeacherLists& operator=(const TeacherLists&) = delete;

  const std::vector<Item>& Of(const FiniteClass::Set& set, std::uint64_t p);
  const Labels& labels(Item item) const { return *labels_[item]; }
  // Puts for every item of the lists its place in the order of labels, among
  // the items that are on any of them; these are returned, by place. Numbers of
  // items depend on what was asked before, places on the lists alone.
  std::vector<Item> RankByLabels(std::vector<std::vector<Item>>& lists) const;

  // Returns true if p is so large that every set comes apart into single
  // functions. The list of a set is then the set itself.
  static bool TakesApart(const FiniteClass& functions, std::size_t size,
                         std::uint64_t p) {
    return p >= functions.points() || p >= size;
  }
  // Returns true if each function is 1 at exactly one point, each at another.
  static bool IsPoints(const FiniteClass& functions);
  // The essential hypotheses where they can be had: kExact or kPoints, as Check
  // allows. Else kGreedy.
  static Form FormFor(const FiniteClass& functions, std::uint64_t p);
  // A form that was asked for. Essential lists of points have a formula.
  static Form FormFor(const FiniteClass& functions, std::uint64_t p,
                      Form asked);
  // Maximum number of essential hypotheses of subsets of the class: Lemma 4.1,
  // and at most the number of functions.
  static std::size_t MostItems(const FiniteClass& functions, int dimension,
                               std::uint64_t p);

 private:
  std::vector<Item> ListMembers(const FiniteClass::Set& set);
  std::vector<Item> FindTop(const FiniteClass::Set& set, std::uint64_t p);
  std::vector<Item> FindPoints(const FiniteClass::Set& set, std::uint64_t p);
  void NumberAll();
  Item Number(const Labels& labels);

  Params params_;
  LittlestoneDimension dimension_;
  std::map<std::uint64_t, Decomposition> decompositions_;  // by p
  std::map<std::pair<std::uint64_t, FiniteClass::Set>, std::vector<Item>>
      lists_;
  std::map<Labels, Item> numbers_;
  std::vector<const Labels*> labels_;  // by item: keys of numbers_
  // All functions, in the order of their labels; empty until they are asked
  // for.
  std::vector<std::pair<std::size_t, Item>> by_labels_;
};

// Rows of a teacher: a point of the class and its label.
using TeacherRows = std::vector<std::pair<std::uint32_t, bool>>;

// tolerance (1 - 1/(divisor d))^stage, as a number of rows out of 2^32: what a
// teacher allows a function in that stage.
std::uint64_t StageTolerance(double tolerance, int dimension, int divisor,
                             std::uint64_t stage);
// How often each function is wrong on the rows.
std::vector<std::uint64_t> ErrorsOn(const FiniteClass& functions,
                                    const TeacherRows& rows);
// The functions that are wrong on no larger a share of the rows.
FiniteClass::Set KeptBy(const FiniteClass& functions, const TeacherRows& rows,
                        std::uint64_t tolerance);

// The labels of a function of the class.
TeacherLists::Labels GetLabels(const FiniteClass& functions, std::size_t h);

// How many lists the most frequent item is on.
std::int64_t TopFrequency(
    const std::vector<std::vector<SparseSample::Item>>& lists);

}  // namespace sotto
