#include "sotto/models/papers/teacher_lists.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "sotto/learners/classes/dimension_search.h"

namespace sotto {

std::uint64_t StageTolerance(double tolerance, int dimension, int divisor,
                             std::uint64_t stage) {
  const double d = divisor * std::max(dimension, 1);
  for (std::uint64_t j = 1; j <= stage; ++j) tolerance *= 1 - 1 / d;
  return static_cast<std::uint64_t>(std::ldexp(tolerance, 32));
}

std::vector<std::uint64_t> ErrorsOn(const FiniteClass& functions,
                                    const TeacherRows& rows) {
  std::map<std::uint32_t, std::array<std::uint64_t, 2>> counts;  // by point
  for (const auto& [point, label] : rows) ++counts[point][label ? 1 : 0];
  std::vector<std::uint64_t> errors(functions.size());
  for (const auto& [point, labelled] : counts) {
    for (std::size_t h = 0; h < errors.size(); ++h) {
      errors[h] += labelled[functions.Label(h, point) ? 0 : 1];
    }
  }
  return errors;
}

FiniteClass::Set KeptBy(const FiniteClass& functions, const TeacherRows& rows,
                        std::uint64_t tolerance) {
  const auto errors = ErrorsOn(functions, rows);
  const std::uint64_t most = tolerance * rows.size() >> 32;
  FiniteClass::Set kept((errors.size() + 63) / 64);
  for (std::size_t h = 0; h < errors.size(); ++h) {
    if (errors[h] <= most) kept[h / 64] |= std::uint64_t{1} << (h % 64);
  }
  return kept;
}

TeacherLists::Labels GetLabels(const FiniteClass& functions, std::size_t h) {
  TeacherLists::Labels labels(functions.points());
  for (std::size_t x = 0; x < labels.size(); ++x) {
    labels[x] = functions.Label(h, x);
  }
  return labels;
}

std::int64_t TopFrequency(
    const std::vector<std::vector<SparseSample::Item>>& lists) {
  std::vector<std::int64_t> counts;  // items are numbered from 0
  std::int64_t most = 0;
  for (const auto& list : lists) {
    for (const auto item : list) {
      if (item >= counts.size()) counts.resize(item + 1);
      most = std::max(most, ++counts[item]);
    }
  }
  return most;
}

namespace {

// Sets are taken apart by how far their dimension is below d.
Status CheckDimension(const TeacherLists::Params& params, std::uint64_t p) {
  const FiniteClass& functions = *params.functions;
  if (TeacherLists::TakesApart(functions, functions.size(), p)) return Ok();
  const int most = QuickDimension(functions).hi;
  if (params.dimension >= most) return Ok();
  return InvalidArgument(
      "dimension: expected at least the class's Littlestone dimension, which "
      "may be " +
      std::to_string(most));
}

}  // namespace

Status TeacherLists::Check(const Params& params, std::uint64_t p) {
  constexpr int kMaxDimension = 20;  // of Decomposition
  if (!params.functions || params.functions->size() > kMaxSize) {
    return InvalidArgument("the class has at most 2^20 functions");
  }
  if (params.dimension < 0 || params.dimension > kMaxDimension) {
    return InvalidArgument("dimension: expected 0 to 20");
  }
  if (params.list_size < 1) return InvalidArgument("lists have 1 or more");
  if (p < 1 || p > kMaxP) return InvalidArgument("p: expected 1 to 2^20");
  const std::size_t size = params.functions->size();
  if (params.form == Form::kPoints &&
      (params.dimension != 1 || !IsPoints(*params.functions))) {
    return InvalidArgument(
        "this form is for the classes points:N, dimension 1");
  }
  if (params.form == Form::kExact && size > kMaxExact &&
      !TakesApart(*params.functions, size, p)) {
    return InvalidArgument(
        "essential hypotheses are worked out for classes of at most 16 "
        "functions, or with a p of at least the functions or points of the "
        "class; --lists greedy has a substitute");
  }
  return CheckDimension(params, p);
}

bool TeacherLists::IsPoints(const FiniteClass& functions) {
  std::vector<bool> taken(functions.points());
  for (std::size_t h = 0; h < functions.size(); ++h) {
    std::size_t ones = 0;
    for (std::size_t x = 0; x < taken.size() && ones < 2; ++x) {
      if (!functions.Label(h, x)) continue;
      ones += taken[x] ? 2 : 1;  // another function has this point
      taken[x] = true;
    }
    if (ones != 1) return false;
  }
  return true;
}

TeacherLists::Form TeacherLists::FormFor(const FiniteClass& functions,
                                         std::uint64_t p) {
  const std::size_t size = functions.size();
  if (size <= kMaxExact || TakesApart(functions, size, p)) return Form::kExact;
  return IsPoints(functions) ? Form::kPoints : Form::kGreedy;
}

TeacherLists::Form TeacherLists::FormFor(const FiniteClass& functions,
                                         std::uint64_t p, Form asked) {
  if (asked != Form::kExact) return asked;
  const Form best = FormFor(functions, p);
  return best == Form::kGreedy ? asked : best;  // Check then says why not
}

std::size_t TeacherLists::MostItems(const FiniteClass& functions, int dimension,
                                    std::uint64_t p) {
  const double d = dimension;
  const double log2 = d * std::log2(static_cast<double>(p)) + d * d;
  const std::size_t size = functions.size();
  if (log2 >= 40) return size;
  return std::min(size, static_cast<std::size_t>(std::ceil(std::exp2(log2))));
}

// teacher_lists.md, step 1: the functions of the set, by their labels.
std::vector<TeacherLists::Item> TeacherLists::ListMembers(
    const FiniteClass::Set& set) {
  if (by_labels_.empty()) NumberAll();
  std::vector<Item> members;
  for (const auto& [h, item] : by_labels_) {
    if (members.size() == params_.list_size) break;
    const bool again = !members.empty() && members.back() == item;
    if ((set[h / 64] >> (h % 64) & 1) == 0 || again) continue;
    members.push_back(item);
  }
  return members;
}

void TeacherLists::NumberAll() {
  std::vector<std::pair<Labels, std::size_t>> all;
  for (std::size_t h = 0; h < params_.functions->size(); ++h) {
    all.emplace_back(GetLabels(*params_.functions, h), h);
  }
  std::ranges::sort(all);
  for (const auto& [labels, h] : all)
    by_labels_.emplace_back(h, Number(labels));
}

// Step 2.
std::vector<TeacherLists::Item> TeacherLists::FindTop(
    const FiniteClass::Set& set, std::uint64_t p) {
  const Decomposition::Params params{.p = p, .d = params_.dimension};
  Decomposition& decomposition =
      decompositions_.try_emplace(p, dimension_, params).first->second;
  std::vector<Labels> found =
      params_.form == Form::kExact
          ? decomposition.Essential(set)
          : decomposition.TopLabels(decomposition.Quick(set),
                                    CountMembers(set));
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  found.resize(std::min(found.size(), params_.list_size));
  std::vector<Item> items;
  for (const Labels& labels : found) items.push_back(Number(labels));
  return items;
}

// Step 5: the function 0 of large sets, the functions themselves of others.
std::vector<TeacherLists::Item> TeacherLists::FindPoints(
    const FiniteClass::Set& set, std::uint64_t p) {
  if (CountMembers(set) < p + 2) return ListMembers(set);
  return {Number(Labels(params_.functions->points(), false))};
}

// Numbers come in the order of asking, which depends on data, and on where a
// run was continued: RankByLabels has an order that does not.
TeacherLists::Item TeacherLists::Number(const Labels& labels) {
  const auto [place, is_new] = numbers_.try_emplace(labels, labels_.size());
  if (is_new) labels_.push_back(&place->first);
  return place->second;
}

const std::vector<TeacherLists::Item>& TeacherLists::Of(
    const FiniteClass::Set& set, std::uint64_t p) {
  p = std::min(p, kMaxP);
  const auto [place, is_new] =
      lists_.try_emplace({p, set}, std::vector<Item>());
  const std::size_t size = CountMembers(set);
  if (!is_new || size == 0) return place->second;
  if (TakesApart(*params_.functions, size, p)) {
    place->second = ListMembers(set);
  } else {
    place->second =
        params_.form == Form::kPoints ? FindPoints(set, p) : FindTop(set, p);
  }
  return place->second;
}

std::vector<TeacherLists::Item> TeacherLists::RankByLabels(
    std::vector<std::vector<Item>>& lists) const {
  std::vector<Item> ranks(labels_.size());
  for (const auto& list : lists) {
    for (const Item item : list) ranks[item] = 1;
  }
  std::vector<Item> by_labels;
  for (const auto& [labels, item] : numbers_) {
    if (ranks[item] == 0) continue;
    ranks[item] = by_labels.size();
    by_labels.push_back(item);
  }
  for (auto& list : lists) {
    for (Item& item : list) item = ranks[item];
  }
  return by_labels;
}

}  // namespace sotto
