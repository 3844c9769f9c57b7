#include "sotto/models/fits/greedy_cover/rule_space.h"

namespace sotto {
namespace {

constexpr std::size_t kMaxConjunctions = std::size_t{1} << 23;

}  // namespace

std::uint32_t CountAtoms(const FitColumn& column) {
  if (column.kind == FitColumn::Kind::kBoolean) return 1;
  return column.kind == FitColumn::Kind::kCuts
             ? static_cast<std::uint32_t>(column.cuts.size())
             : column.choices();
}

std::uint32_t CountCodes(const FitColumn& column) {
  return CountAtoms(column) + (column.kind == FitColumn::Kind::kHashed ? 0 : 1);
}

Result<RuleSpace> RuleSpace::Create(const FitColumns& columns,
                                    std::uint32_t literals) {
  if (literals < 1 || literals > Conjunction::kMaxLiterals) {
    return InvalidArgument("a rule has 1, 2 or 3 literals at most");
  }
  RuleSpace space(columns, literals);
  space.AddAtoms();
  space.conjunctions_.push_back({});
  // Each pass extends the conjunctions of the pass before.
  std::size_t from = 0;
  for (std::uint32_t size = 1; size <= literals; ++size) {
    const std::size_t to = space.conjunctions_.size();
    for (std::size_t i = from; i < to; ++i) {
      const Conjunction base = space.conjunctions_[i];
      if (!space.Extend(base, kMaxConjunctions)) {
        return InvalidArgument("there are more than 2^23 conjunctions");
      }
    }
    from = to;
  }
  return space;
}

void RuleSpace::AddAtoms() {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    first_.push_back(static_cast<std::uint32_t>(atoms_.size()));
    for (std::uint32_t place = 0; place < CountAtoms(columns_[c]); ++place) {
      atoms_.push_back({static_cast<std::uint32_t>(c), place});
    }
  }
}

bool RuleSpace::Extend(const Conjunction& base, std::size_t limit) {
  const std::uint32_t first =
      base.size == 0 ? 0 : base.atoms[base.size - 1] + 1;
  for (std::uint32_t atom = first; atom < atoms_.size(); ++atom) {
    for (const bool sign : {true, false}) {
      Conjunction longer = base;
      longer.atoms[longer.size] = atom;
      if (sign) longer.signs |= static_cast<std::uint8_t>(1U << longer.size);
      ++longer.size;
      if (Redundant(longer)) continue;
      if (conjunctions_.size() >= limit) return false;
      conjunctions_.push_back(longer);
    }
  }
  return true;
}

// Returns true if the last literal adds nothing to an earlier one of the same
// column, or makes one superfluous, or contradicts it.
bool RuleSpace::Redundant(const Conjunction& conjunction) const {
  const std::size_t last = conjunction.size - std::size_t{1};
  const Atom& atom = atoms_[conjunction.atoms[last]];
  for (std::size_t i = 0; i < last; ++i) {
    if (atoms_[conjunction.atoms[i]].column != atom.column) continue;
    const bool number = columns_[atom.column].kind == FitColumn::Kind::kCuts;
    // Numbers: at least the lower cut, below the higher. Categories: neither.
    const bool useful = number
                            ? conjunction.sign(i) && !conjunction.sign(last)
                            : !conjunction.sign(i) && !conjunction.sign(last);
    if (!useful) return true;
  }
  return false;
}

}  // namespace sotto
