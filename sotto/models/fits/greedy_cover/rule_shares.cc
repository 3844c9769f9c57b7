#include "sotto/models/fits/greedy_cover/rule_shares.h"

#include <bit>
#include <cassert>
#include <cmath>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

using Bits = CoverData::Bits;

// The rows of one label in `alive` that the rule catches; they leave `alive`.
std::int64_t Catch(const ListRule& rule, const RuleSpace& space,
                   const CoverData& data, bool label, Bits& alive) {
  Bits caught = alive;
  for (const Literal& literal : rule.literals) {
    const std::size_t atom =
        space.first_atom(literal.atom.column) + literal.atom.place;
    const Bits& holds = data.bits(label, atom);
    const std::uint64_t flip =
        literal.holds ? std::uint64_t{0} : ~std::uint64_t{0};
    for (std::size_t w = 0; w < caught.size(); ++w)
      caught[w] &= holds[w] ^ flip;
  }
  std::int64_t count = 0;
  for (std::size_t w = 0; w < caught.size(); ++w) {
    count += std::popcount(caught[w]);
    alive[w] &= ~caught[w];
  }
  return count;
}

}  // namespace

RuleShares CountCaught(const DecisionList& list, const RuleSpace& space,
                       const CoverData& data) {
  assert(list.columns() == space.columns());
  assert(data.atoms() == space.atoms().size());
  RuleShares shares(list.rules().size() + 1);
  for (const bool label : {false, true}) {
    const std::size_t rows = data.rows(label);
    Bits alive((rows + 63) / 64, ~std::uint64_t{0});
    if (rows % 64 != 0) alive.back() >>= 64 - rows % 64;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const ListRule rule =
          i < list.rules().size() ? list.rules()[i] : ListRule{};
      const std::int64_t count = Catch(rule, space, data, label, alive);
      (label ? shares[i].positive : shares[i].negative) = count;
    }
  }
  return shares;
}

Result<SharesMechanism> SharesMechanism::Create(const Params& params) {
  if (!(params.epsilon > 0x1p-40 && params.epsilon <= 64)) {
    return InvalidArgument("the epsilon for shares must be in (2^-40, 64]");
  }
  if (params.max_rules < 1 || params.max_rules > 100'000) {
    return InvalidArgument("a list has 1 to 100000 rules");
  }
  if (params.relation == Relation::kChangeByOne) {
    return InvalidArgument("rows are replaced, added or removed");
  }
  // A replaced row leaves one count and joins another.
  const double sensitivity = params.relation == Relation::kReplace ? 2 : 1;
  SOTTO_TRY_ASSIGN(const auto rate,
                   RationalBelow(params.epsilon / sensitivity));
  SOTTO_TRY_ASSIGN(auto noise, FixedWorkLaplace::Create(rate));
  const double epsilon = sensitivity * rate.ToDoubleUp();
  const double draws = 2 * (static_cast<double>(params.max_rules) + 1);
  const double delta =
      InflateUp((1 + std::exp(epsilon)) * draws *
                    std::ldexp(1.0, -FixedWorkLaplace::TotalVariationLog2()),
                1e-12);
  return SharesMechanism(params, rate, epsilon, delta, std::move(noise));
}

Spend SharesMechanism::spend() const {
  const double moved = params_.relation == Relation::kReplace ? 2 : 1;
  return PurePart("rows that rules catch", SamplerKind::kLaplace,
                  rate_.ToDoubleUp(), moved, delta_);
}

RuleShares SharesMechanism::Release(const DecisionList& list,
                                    const RuleSpace& space,
                                    const CoverData& data, Rng& rng) const {
  assert(list.rules().size() <= params_.max_rules);
  RuleShares shares = CountCaught(list, space, data);
  for (RuleShare& share : shares) {
    share.negative =
        rng.Private("caught", share.negative, 1) + noise_.Sample(rng);
    share.positive =
        rng.Private("caught", share.positive, 1) + noise_.Sample(rng);
  }
  return shares;
}

}  // namespace sotto
