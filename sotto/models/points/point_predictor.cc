#include "sotto/models/points/point_predictor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sotto/mechanisms/mirrors/mirror_promise.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "points/1";

}  // namespace

PointPredictor::PointPredictor(const Params& params, CountGate gate,
                               Prototype mirror)
    : params_(params),
      gate_(std::move(gate)),
      mirror_(std::move(mirror)),
      certified_(params.design),
      silent_(gate_.size() + params.patience) {
  certified_.gate.delta = gate_.guarantee().delta();
  if (const auto* step = std::get_if<LopsidedStep>(&mirror_)) {
    certified_.mirror = step->certified();
    return;
  }
  const StaircaseDeltas& deltas = std::get<StaircaseMirror>(mirror_).deltas();
  certified_.mirror.one_over_zero.delta = deltas.one_over_zero;
  certified_.mirror.zero_over_one.delta = deltas.zero_over_one;
}

Result<PointPredictor::Prototype> PointPredictor::MakeMirror(
    const PointDesign& design) {
  if (design.stairs) {
    SOTTO_TRY_ASSIGN(auto stairs, MakeStairs(design.mirror));
    return Prototype(std::move(stairs));
  }
  SOTTO_TRY_ASSIGN(auto step, LopsidedStep::Create(design.mirror));
  return Prototype(std::move(step));
}

Result<PointPredictor> PointPredictor::Create(const Params& params) {
  SOTTO_TRY(params.CheckPatience());
  const PointDesign& design = params.design;
  SOTTO_TRY_ASSIGN(auto gate, CountGate::Create({.epsilon = design.gate.epsilon,
                                                 .delta = design.gate.delta}));
  SOTTO_TRY_ASSIGN(auto mirror, MakeMirror(design));
  return PointPredictor(params, std::move(gate), std::move(mirror));
}

std::string_view PointPredictor::mirror_name() const {
  return params_.design.stairs ? "stairs" : "step";
}

// The mirror's first one stands for the last silent round.
double PointPredictor::expected_mistakes() const {
  return static_cast<double>(silent_ - 1) +
         std::visit([](const auto& m) { return m.expected_mistakes(); },
                    mirror_);
}

std::optional<std::uint64_t> PointPredictor::worst_mistakes() const {
  const auto* step = std::get_if<LopsidedStep>(&mirror_);
  if (step == nullptr) return std::nullopt;
  return silent_ - 1 + step->worst_mistakes();
}

OpenedPoint PointPredictor::Open(const PointName& name, Rng& rng) {
  ++clock_;
  Point& point = points_[name];
  OpenedPoint opened{.round = {.name = name,
                               .counts = point.rounds < gate_.size(),
                               .tick = clock_}};
  if (point.rounds < silent_) {
    ++point.rounds;
    return opened;
  }
  // Once, after the window's last label could have come (step 2). The gate
  // comes first, so that only points that pass need a mirror (step 3).
  if (point.rounds == silent_) {
    ++point.rounds;
    if (gate_.Passes(point.positives, rng)) Pass(point, rng);
  }
  opened.prediction = point.passed && Next(point, rng);
  return opened;
}

// A first one goes into the mirror for the last silent round: surely "bottom".
void PointPredictor::Pass(Point& point, Rng& rng) {
  point.passed = true;
  ++passed_;
  if (const auto* step = std::get_if<LopsidedStep>(&mirror_)) {
    point.level = static_cast<std::uint32_t>(step->Draw(rng) - 1);
    return;
  }
  point.level = static_cast<std::uint32_t>(mirrors_.size());
  mirrors_.push_back(std::get<StaircaseMirror>(mirror_));
  mirrors_.back().Next(true, rng);
}

bool PointPredictor::Next(Point& point, Rng& rng) {
  if (std::holds_alternative<StaircaseMirror>(mirror_)) {
    return mirrors_[point.level].Next(true, rng);
  }
  if (point.level == 0) return true;
  --point.level;
  return false;
}

// A label counts depending only on its own round and the clock (step 1).
void PointPredictor::Close(const Round& round, bool y) {
  if (!y || !round.counts || clock_ - round.tick > params_.patience) return;
  const auto point = points_.find(round.name);
  if (point != points_.end()) ++point->second.positives;
}

std::uint64_t PointPredictor::Digest() const {
  MirrorDigest digest;
  digest.Add(gate_.distribution());
  if (const auto* step = std::get_if<LopsidedStep>(&mirror_)) {
    digest.Add(step->distribution());
  } else {
    digest.Add(std::get<StaircaseMirror>(mirror_).digest());
  }
  return digest.value();
}

void PointPredictor::SavePoint(const Point& point, ByteWriter& writer) const {
  writer.Number(point.rounds);
  writer.Number(point.positives);
  writer.Number(static_cast<std::uint8_t>(point.passed));
  if (!point.passed) return;
  if (std::holds_alternative<StaircaseMirror>(mirror_)) {
    mirrors_[point.level].Save(writer);
  } else {
    writer.Number(point.level);
  }
}

void PointPredictor::Save(ByteWriter& writer) const {
  SavePointHead(kTag, params_, Digest(), writer);
  writer.Number(clock_);
  SavePointTable(points_, writer,
                 [&](const Point& point) { SavePoint(point, writer); });
}

Status PointPredictor::LoadLevel(Point& point, ByteReader& reader) {
  ++passed_;
  if (const auto* step = std::get_if<LopsidedStep>(&mirror_)) {
    point.level = reader.Number<std::uint32_t>();
    if (reader.failed() || point.level >= step->worst_mistakes()) {
      return CorruptPoints();
    }
    return Ok();
  }
  SOTTO_TRY_ASSIGN(auto mirror,
                   std::get<StaircaseMirror>(mirror_).Resumed(reader));
  point.level = static_cast<std::uint32_t>(mirrors_.size());
  mirrors_.push_back(std::move(mirror));
  return Ok();
}

Status PointPredictor::LoadPoint(ByteReader& reader) {
  const PointName name = LoadPointName(reader);
  Point point;
  point.rounds = reader.Number<std::uint32_t>();
  point.positives = reader.Number<std::uint32_t>();
  const auto passed = reader.Number<std::uint8_t>();
  point.passed = passed == 1;
  if (reader.failed() || passed > 1 || point.rounds == 0 ||
      point.rounds > silent_ + 1 ||
      point.positives > std::min<std::uint64_t>(point.rounds, gate_.size()) ||
      (point.passed && point.rounds <= silent_)) {
    return CorruptPoints();
  }
  if (point.passed) {
    SOTTO_TRY(LoadLevel(point, reader));
  }
  if (!points_.emplace(name, point).second) return CorruptPoints();
  return Ok();
}

Result<PointPredictor> PointPredictor::Load(const Params& params,
                                            ByteReader& reader) {
  SOTTO_TRY_ASSIGN(auto points,
                   LoadPointHead<PointPredictor>(kTag, params, reader));
  points.clock_ = reader.Number<std::uint64_t>();
  const auto size = reader.Number<std::uint64_t>();
  if (reader.failed()) return CorruptPoints();
  for (std::uint64_t i = 0; i < size; ++i) {
    SOTTO_TRY(points.LoadPoint(reader));
  }
  return points;
}

}  // namespace sotto
