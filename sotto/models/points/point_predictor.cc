#include "sotto/models/points/point_predictor.h"

#include <algorithm>
#include <string>
#include <utility>

#include "sotto/mechanisms/mirrors/mirror_promise.h"
#include "sotto/random/key.h"

namespace sotto {
namespace {

constexpr std::string_view kTag = "points/1";

// Public: it tells the names of rows apart from other hashes, and hides
// nothing.
Key RowKey() {
  std::array<std::byte, Key::kBytes> bytes{};
  return Key::FromBytes(bytes).Derive("points-v1", "row", {});
}

Error Corrupt() {
  return {ErrorCode::kCorruption, "the saved points make no sense"};
}

PointName LoadName(ByteReader& reader) {
  PointName name;
  for (std::uint64_t& word : name) word = reader.Number<std::uint64_t>();
  return name;
}

void SaveName(const PointName& name, ByteWriter& writer) {
  for (const std::uint64_t word : name) writer.Number(word);
}

}  // namespace

// Unlisted features are 0, so a listed 0 is dropped, -0 too.
PointName PointKey(FeatureView x) {
  static const Key kKey = RowKey();
  ByteWriter writer;
  for (const Feature& feature : x) {
    if (feature.value == 0) continue;
    writer.Number(feature.index);
    writer.Real(feature.value);
  }
  return kKey.Hash(writer.bytes());
}

void PointPredictor::Round::Save(ByteWriter& writer) const {
  SaveName(name, writer);
  writer.Number(static_cast<std::uint8_t>(counts));
  writer.Number(tick);
}

Result<PointPredictor::Round> PointPredictor::Round::Load(ByteReader& reader) {
  Round round;
  round.name = LoadName(reader);
  const auto counts = reader.Number<std::uint8_t>();
  round.counts = counts == 1;
  round.tick = reader.Number<std::uint64_t>();
  if (reader.failed() || counts > 1) return Corrupt();
  return round;
}

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
  if (params.patience > kMostPatience) {
    return InvalidArgument("points waits for labels at most 1e9 rounds");
  }
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

PointPredictor::OpenResult PointPredictor::Open(const PointName& name,
                                                Rng& rng) {
  ++clock_;
  Point& point = points_[name];
  OpenResult opened{.round = {.name = name,
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

// Digest of all integers that are drawn with: a state resumes only under the
// distributions it began with.
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
  writer.Text(kTag);
  params_.design.Save(writer);
  writer.Number(params_.patience);
  writer.Number(Digest());
  writer.Number(clock_);
  // In an order that tells nothing of how the table came to be.
  std::vector<PointName> names;
  names.reserve(points_.size());
  for (const auto& [name, point] : points_) names.push_back(name);
  std::ranges::sort(names);
  writer.Number(static_cast<std::uint64_t>(names.size()));
  for (const PointName& name : names) {
    SaveName(name, writer);
    SavePoint(points_.at(name), writer);
  }
}

Status PointPredictor::LoadLevel(Point& point, ByteReader& reader) {
  ++passed_;
  if (const auto* step = std::get_if<LopsidedStep>(&mirror_)) {
    point.level = reader.Number<std::uint32_t>();
    if (reader.failed() || point.level >= step->worst_mistakes()) {
      return Corrupt();
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
  const PointName name = LoadName(reader);
  Point point;
  point.rounds = reader.Number<std::uint32_t>();
  point.positives = reader.Number<std::uint32_t>();
  const auto passed = reader.Number<std::uint8_t>();
  point.passed = passed == 1;
  if (reader.failed() || passed > 1 || point.rounds == 0 ||
      point.rounds > silent_ + 1 ||
      point.positives > std::min<std::uint64_t>(point.rounds, gate_.size()) ||
      (point.passed && point.rounds <= silent_)) {
    return Corrupt();
  }
  if (point.passed) {
    SOTTO_TRY(LoadLevel(point, reader));
  }
  if (!points_.emplace(name, point).second) return Corrupt();
  return Ok();
}

Result<PointPredictor> PointPredictor::Load(const Params& params,
                                            ByteReader& reader) {
  const bool tag = reader.Text() == kTag;
  const PointDesign design = PointDesign::Load(reader);
  const auto patience = reader.Number<std::uint64_t>();
  const auto digest = reader.Number<std::uint64_t>();
  const auto clock = reader.Number<std::uint64_t>();
  const auto size = reader.Number<std::uint64_t>();
  if (reader.failed() || !tag) return Corrupt();
  auto points = Create(params);
  if (!points) return points;
  if (!(design == params.design) || patience != params.patience ||
      digest != points->Digest()) {
    return FailedPrecondition(
        "the state belongs to points of another design or to other "
        "tables than this build has");
  }
  points->clock_ = clock;
  for (std::uint64_t i = 0; i < size; ++i) {
    SOTTO_TRY(points->LoadPoint(reader));
  }
  return points;
}

}  // namespace sotto
