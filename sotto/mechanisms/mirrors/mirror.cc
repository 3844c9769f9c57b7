#include "sotto/mechanisms/mirrors/mirror.h"

#include <cmath>
#include <utility>

#include "sotto/mechanisms/mirrors/mirror_promise.h"

namespace sotto {
namespace {

// Delta of the Gaussian mechanism whose means are `mu` deviations apart.
double GaussianDelta(double epsilon, double mu) {
  auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  return below(mu / 2 - epsilon / mu) -
         std::exp(epsilon) * below(-mu / 2 - epsilon / mu);
}

// The ramp of a SoftMirror has about 4 / mu^2 mistakes, or more, where mu is
// what the Gaussian mechanism may spend. It is slow to calibrate, so it is
// tried only where four fifths of that would win. A guess, no guarantee rests
// on it.
double SoftMistakesGuess(const Mirror::Params& params) {
  double low = 1e-4;
  double high = 100;
  while (high / low > 1.01) {
    const double mu = std::sqrt(low * high);
    (GaussianDelta(params.epsilon, mu) < params.delta ? low : high) = mu;
  }
  return 0.8 * 4 / (high * high);
}

}  // namespace

template <typename M>
Result<Mirror> Mirror::Wrap(Result<M> mirror) {
  if (!mirror) return mirror.error();
  return Mirror(Any(std::move(*mirror)));
}

template <typename M>
typename M::Params Mirror::ParamsFor(const Params& params) {
  return {
      .epsilon = params.epsilon, .delta = params.delta, .delay = params.delay};
}

Result<Mirror> Mirror::Create(const Params& params, Kind kind) {
  switch (kind) {
    case Kind::kRandomStep:
      return Wrap(RandomStep::Create(ParamsFor<RandomStep>(params)));
    case Kind::kStaircaseMirror:
      return Wrap(StaircaseMirror::Create(ParamsFor<StaircaseMirror>(params)));
    case Kind::kJdpMirror:
      return Wrap(JdpMirror::Create(ParamsFor<JdpMirror>(params)));
    case Kind::kSoftMirror:
      return Wrap(SoftMirror::Create(ParamsFor<SoftMirror>(params)));
  }
  return InvalidArgument("no such kind of mirror");
}

Result<Mirror> Mirror::Create(const Params& params) {
  if (auto valid =
          CheckMirrorTarget(params.epsilon, params.delta, params.delay);
      !valid) {
    return valid.error();
  }
  std::optional<Mirror> best;
  for (const Kind kind : {Kind::kRandomStep, Kind::kStaircaseMirror,
                          Kind::kJdpMirror, Kind::kSoftMirror}) {
    if (kind == Kind::kSoftMirror && best &&
        best->expected_mistakes() <= SoftMistakesGuess(params)) {
      continue;
    }
    auto next = Create(params, kind);
    if (!next) continue;  // Not every kind serves every epsilon.
    if (!best || next->expected_mistakes() < best->expected_mistakes()) {
      best = std::move(*next);
    }
  }
  if (!best) {
    return NotConverged("no mirror could be certified");
  }
  return std::move(*best);
}

const Guarantee& Mirror::guarantee() const {
  return std::visit(
      [](const auto& m) -> const Guarantee& { return m.guarantee(); }, mirror_);
}

double Mirror::expected_mistakes() const {
  return std::visit([](const auto& m) { return m.expected_mistakes(); },
                    mirror_);
}

std::optional<std::uint64_t> Mirror::worst_mistakes() const {
  if (const auto* m = std::get_if<RandomStep>(&mirror_)) {
    return m->worst_mistakes();
  }
  if (const auto* m = std::get_if<SoftMirror>(&mirror_)) {
    return m->worst_mistakes();
  }
  return std::nullopt;
}

void Mirror::Save(ByteWriter& writer) const {
  writer.Number(static_cast<std::uint8_t>(kind()));
  std::visit([&](const auto& m) { m.Save(writer); }, mirror_);
}

Result<Mirror> Mirror::Load(const Params& params, ByteReader& reader) {
  const auto kind = reader.Number<std::uint8_t>();
  switch (static_cast<Kind>(kind)) {
    case Kind::kRandomStep:
      return Wrap(RandomStep::Load(ParamsFor<RandomStep>(params), reader));
    case Kind::kStaircaseMirror:
      return Wrap(
          StaircaseMirror::Load(ParamsFor<StaircaseMirror>(params), reader));
    case Kind::kJdpMirror:
      return Wrap(JdpMirror::Load(ParamsFor<JdpMirror>(params), reader));
    case Kind::kSoftMirror:
      return Wrap(SoftMirror::Load(ParamsFor<SoftMirror>(params), reader));
  }
  return Corruption("no state of a Mirror");
}

std::string_view ToString(Mirror::Kind kind) {
  switch (kind) {
    case Mirror::Kind::kRandomStep:
      return "random-step";
    case Mirror::Kind::kStaircaseMirror:
      return "staircase";
    case Mirror::Kind::kJdpMirror:
      return "jdp";
    case Mirror::Kind::kSoftMirror:
      return "soft";
  }
  return "unknown";
}

}  // namespace sotto
