#include "sotto/mechanisms/counters/counter.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "counter-2";
using Mechanism = Counter::Mechanism;

Result<TreeCounter> MakeTree(const Counter::Params& p) {
  return TreeCounter::Create(
      {.epsilon = p.epsilon, .horizon = p.horizon, .failure = p.failure});
}
UnknownHorizonCounter::Params WithoutHorizon(const Counter::Params& p) {
  return {.epsilon = p.epsilon, .failure = p.failure};
}
SquareRootCounter::Params SquareRoot(const Counter::Params& p) {
  return {.epsilon = p.epsilon,
          .delta = p.delta,
          .horizon = p.horizon,
          .failure = p.failure};
}
SparseCounter::Params Sparse(const Counter::Params& p) {
  return {.epsilon = p.epsilon,
          .horizon = p.horizon,
          .expected_events = p.expected_events,
          .failure = p.failure};
}

Status CheckRequest(const Counter::Params& p) {
  if (!(p.delta >= 0 && p.delta < 1)) {
    return InvalidArgument("delta must be in [0, 1)");
  }
  if (p.mechanism == Mechanism::kSquareRoot &&
      (p.delta == 0 || p.horizon == 0)) {
    return InvalidArgument(
        "the square-root counter needs a delta and a horizon");
  }
  if (p.mechanism == Mechanism::kSparse &&
      (p.expected_events == 0 || p.horizon == 0)) {
    return InvalidArgument(
        "the sparse counter needs a horizon and the events expected");
  }
  return Ok();
}

// A delta of 0 asks for a pure mechanism, whose samplers' delta is only stated.
Status CheckDelta(const Counter::Params& p, const Guarantee& guarantee) {
  if (p.delta == 0 || guarantee.delta() <= p.delta) return Ok();
  return InvalidArgument("what the samplers of this counter lack, a delta of " +
                         TextUp(guarantee.delta()) +
                         ", is more than the delta asked for; take a larger "
                         "one, or 0 for a pure mechanism");
}

std::string Whole(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.0f", std::ceil(value));
  return text;
}

}  // namespace

Result<Counter> Counter::Create(const Params& params) {
  SOTTO_TRY(CheckRequest(params));
  auto wants = [&](Mechanism m) {
    return params.mechanism == m || params.mechanism == Mechanism::kAuto;
  };
  if (params.horizon == 0) {
    SOTTO_TRY_ASSIGN(auto counter,
                     UnknownHorizonCounter::Create(WithoutHorizon(params)));
    SOTTO_TRY(CheckDelta(params, counter.guarantee()));
    return Counter(params, std::move(counter));
  }
  std::optional<Counter> best;
  std::optional<Error> error;  // the first
  auto offer = [&](auto made) {
    const Status fit =
        made ? CheckDelta(params, made->guarantee()) : Status(made.error());
    if (!fit) {
      if (!error) error = fit.error();
      return;
    }
    Counter candidate(params, *std::move(made));
    if (!best || candidate.ErrorBound() < best->ErrorBound()) {
      best = std::move(candidate);
    }
  };
  if (wants(Mechanism::kTree)) offer(MakeTree(params));
  if (wants(Mechanism::kSquareRoot) && params.delta > 0) {
    offer(SquareRootCounter::Create(SquareRoot(params)));
  }
  if (wants(Mechanism::kSparse) && params.expected_events > 0) {
    offer(SparseCounter::Create(Sparse(params)));
  }
  if (!best) return *error;
  return *std::move(best);
}

Result<std::int64_t> Counter::Add(std::uint64_t count, Rng& rng) {
  return std::visit([&](auto& c) { return c.Add(count, rng); }, counter_);
}

Status Counter::AddBatch(std::span<const std::uint64_t> counts,
                         std::span<std::int64_t> estimates, Rng& rng) {
  return std::visit([&](auto& c) { return c.AddBatch(counts, estimates, rng); },
                    counter_);
}

Counter::Mechanism Counter::mechanism() const {
  if (std::holds_alternative<SquareRootCounter>(counter_)) {
    return Mechanism::kSquareRoot;
  }
  return std::holds_alternative<SparseCounter>(counter_) ? Mechanism::kSparse
                                                         : Mechanism::kTree;
}

std::uint64_t Counter::steps() const {
  return std::visit([](const auto& c) { return c.steps(); }, counter_);
}

const Guarantee& Counter::guarantee() const {
  return std::visit(
      [](const auto& c) -> const Guarantee& { return c.guarantee(); },
      counter_);
}

double Counter::ErrorBound() const {
  if (const auto* open = std::get_if<UnknownHorizonCounter>(&counter_)) {
    const auto bound =
        open->ErrorBound(std::max<std::uint64_t>(1, open->steps()));
    return bound ? *bound : HUGE_VAL;
  }
  if (const auto* tree = std::get_if<TreeCounter>(&counter_)) {
    return tree->ErrorBound();
  }
  if (const auto* root = std::get_if<SquareRootCounter>(&counter_)) {
    return root->ErrorBound();
  }
  return std::get<SparseCounter>(counter_).ErrorBound();
}

std::string Counter::Describe() const {
  char confidence[32];
  std::snprintf(confidence, sizeof(confidence), "%.6g",
                100 * (1 - params_.failure));
  std::string text(ToString(mechanism()));
  if (params_.horizon == 0) text += " (doubling)";
  text += ": every estimate within " + Whole(ErrorBound()) +
          " of the true count, with probability " + confidence + "%, over ";
  text += params_.horizon == 0
              ? "the " + std::to_string(std::max<std::uint64_t>(1, steps())) +
                    " steps so far, if that number was fixed before the first "
                    "of them (a stream that is ended because of its estimates "
                    "is not covered)"
              : "all " + std::to_string(params_.horizon) + " steps";
  if (mechanism() == Mechanism::kSparse) {
    text += ", if there are at most " +
            std::to_string(params_.expected_events) + " events";
  }
  return text;
}

void Counter::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Real(params_.epsilon);
  writer.Real(params_.delta);
  writer.Number(params_.horizon);
  writer.Number(params_.expected_events);
  writer.Real(params_.failure);
  writer.Number(static_cast<std::uint8_t>(params_.mechanism));
  writer.Number(static_cast<std::uint8_t>(counter_.index()));
  std::visit([&](const auto& c) { c.Save(writer); }, counter_);
}

Result<Counter> Counter::Load(const Params& params, ByteReader& reader) {
  bool same = reader.Text() == kTag;
  same &= reader.Real() == params.epsilon;
  same &= reader.Real() == params.delta;
  same &= reader.Number<std::uint64_t>() == params.horizon;
  same &= reader.Number<std::uint64_t>() == params.expected_events;
  same &= reader.Real() == params.failure;
  same &= reader.Number<std::uint8_t>() ==
          static_cast<std::uint8_t>(params.mechanism);
  const auto index = reader.Number<std::uint8_t>();
  auto wrap = [&](auto loaded) -> Result<Counter> {
    if (!loaded) return loaded.error();
    return Counter(params, *std::move(loaded));
  };
  // The mechanism in the bytes must be the one these parameters lead to.
  SOTTO_TRY_ASSIGN(const auto fresh, Create(params));
  if (!same || reader.failed() || index != fresh.counter_.index()) {
    return Corruption(
        "the state is not that of a counter with these parameters");
  }
  switch (index) {
    case 0:
      return wrap(TreeCounter::Load({.epsilon = params.epsilon,
                                     .horizon = params.horizon,
                                     .failure = params.failure},
                                    reader));
    case 1:
      return wrap(SquareRootCounter::Load(SquareRoot(params), reader));
    case 2:
      return wrap(SparseCounter::Load(Sparse(params), reader));
    default:
      return wrap(UnknownHorizonCounter::Load(WithoutHorizon(params), reader));
  }
}

std::string_view ToString(Counter::Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::kTree:
      return "tree";
    case Mechanism::kSquareRoot:
      return "square-root";
    case Mechanism::kSparse:
      return "sparse";
    case Mechanism::kAuto:
      break;
  }
  return "auto";
}

Result<Counter::Mechanism> ParseCounterMechanism(std::string_view word) {
  if (word == "auto") return Mechanism::kAuto;
  if (word == "tree") return Mechanism::kTree;
  if (word == "square-root" || word == "sqrt") return Mechanism::kSquareRoot;
  if (word == "sparse") return Mechanism::kSparse;
  return InvalidArgument("'" + std::string(word) +
                         "' is not one of auto, tree, square-root, sparse");
}

}  // namespace sotto
