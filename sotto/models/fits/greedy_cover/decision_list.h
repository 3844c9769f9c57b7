#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sotto/models/fits/fit_columns.h"
#include "sotto/models/fits/greedy_cover/rule_space.h"

namespace sotto {

// A test of one column.
struct Literal {
  Atom atom;
  bool holds = true;  // or must not
  friend bool operator==(const Literal&, const Literal&) = default;
};

// if all literals then label
struct ListRule {
  std::vector<Literal> literals;
  bool label = false;
  friend bool operator==(const ListRule&, const ListRule&) = default;
};

// How many rows a rule catches, by their label: noisy where they were released,
// and then perhaps below 0.
struct RuleShare {
  std::int64_t negative = 0;
  std::int64_t positive = 0;
  friend bool operator==(const RuleShare&, const RuleShare&) = default;
};
using RuleShares = std::vector<RuleShare>;

// A decision list: the first rule whose literals all hold gives the label.
//
//   bool label = list.Predict(codes);
//   std::cout << list.Simplified().Text(labels);
//
// Threads: immutable; calls may run at the same time.
class DecisionList {
 public:
  // Fails with kInvalidArgument if a literal names no column or no place of it.
  static Result<DecisionList> Create(FitColumns columns,
                                     std::vector<ListRule> rules,
                                     bool otherwise);

  const FitColumns& columns() const { return columns_; }
  const std::vector<ListRule>& rules() const { return rules_; }
  bool otherwise() const { return otherwise_; }

  // Requires: a code for each column, as FitColumns::Encode gives them.
  bool Predict(std::span<const std::uint32_t> codes) const;

  // A list that predicts the same for every row there could be, without rules
  // that cannot be reached or change nothing. It looks at the list alone, never
  // at data, so it costs no privacy.
  DecisionList Simplified() const;

  // if ... then ... / else if ... / else ..., human-readable.
  // Neighbouring rules with one label that ask one column for a value become
  // one line. Takes the list as it is: simplify first.
  // With `shares` (one for each rule and the "else") each line also says how
  // many rows it caught, and where these are at least ten times the scale of
  // the noise, how many of them it labels right.
  std::string Text(const FitLabels& labels,
                   std::span<const RuleShare> shares = {},
                   double share_scale = 0) const;
  // How many lines of Text are rules.
  std::size_t lines() const;

  friend bool operator==(const DecisionList&, const DecisionList&) = default;

 private:
  DecisionList(FitColumns columns, std::vector<ListRule> rules, bool otherwise)
      : columns_(std::move(columns)),
        rules_(std::move(rules)),
        otherwise_(otherwise) {}

  FitColumns columns_;
  std::vector<ListRule> rules_;
  bool otherwise_;
};

}  // namespace sotto
