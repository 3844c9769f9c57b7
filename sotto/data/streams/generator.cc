#include "sotto/data/streams/generator.h"

#include <array>
#include <charconv>
#include <cstring>
#include <span>
#include <string_view>

namespace sotto {
namespace {

// Draws whether an event of this probability happens.
bool Happens(double probability, Rng& rng) {
  if (probability <= 0) return false;
  const std::uint64_t word = rng.Next();
  if (probability >= 1) return true;
  return word < static_cast<std::uint64_t>(probability * 0x1p64);
}

constexpr std::array kPoisons = {PoisonKind::kMislead, PoisonKind::kProbe,
                                 PoisonKind::kDuplicate, PoisonKind::kFlood,
                                 PoisonKind::kMixed};

std::uint32_t DefaultFeatures(StreamKind kind) {
  switch (kind) {
    case StreamKind::kThreshold:
    case StreamKind::kPoint:
      return 1;
    case StreamKind::kRectangle:
      return 2;
    case StreamKind::kStump:
    case StreamKind::kHalfspace:
    case StreamKind::kDecisionList:
      break;
  }
  return 10;
}

bool IsSingle(StreamKind kind) {
  return kind == StreamKind::kThreshold || kind == StreamKind::kPoint;
}

Status CheckShares(const StreamGenerator::Params& params) {
  if (!(params.noise >= 0 && params.noise <= 1)) {
    return InvalidArgument("noise must be a share in [0, 1]");
  }
  if (!(params.poison >= 0 && params.poison <= 1)) {
    return InvalidArgument("poison must be a share in [0, 1]");
  }
  if (!(params.margin > 0 && params.margin <= 1)) {
    return InvalidArgument("margin must be in (0, 1]");
  }
  return Ok();
}

Status CheckSizes(const StreamGenerator::Params& params,
                  std::uint32_t features) {
  constexpr std::uint32_t kMostFeatures = 100'000'000;
  constexpr std::uint32_t kMostRelevant = 63;  // binomials in 64 bits
  if (features < 1 || features > kMostFeatures) {
    return InvalidArgument("features must be from 1 to 1e8");
  }
  if (IsSingle(params.kind) && features != 1) {
    return InvalidArgument("a " + std::string(Name(params.kind)) +
                           " stream has one feature");
  }
  const bool halfspace = params.kind == StreamKind::kHalfspace;
  if (halfspace || params.kind == StreamKind::kDecisionList) {
    if (params.length < 1 || params.length > features) {
      return InvalidArgument("length must be from 1 to the " +
                             std::to_string(features) + " features");
    }
  }
  if (halfspace && params.length > kMostRelevant) {
    return InvalidArgument(
        "a halfspace has at most 63 relevant features "
        "(length)");
  }
  if (params.nonzeros == 0) return Ok();
  if (!halfspace) {
    return InvalidArgument("nonzeros is for halfspace alone");
  }
  if (params.nonzeros < params.length || params.nonzeros > features / 2) {
    return InvalidArgument(
        "nonzeros must be at least the length and at most half the features");
  }
  return Ok();
}

void AppendEight(std::uint32_t number, char* out) {
  for (int i = 7; i >= 0; --i) {
    out[i] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
}

void AppendInteger(std::int64_t number, std::string& text) {
  std::array<char, 24> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

}  // namespace

Result<StreamGenerator> StreamGenerator::Create(const Params& params) {
  SOTTO_TRY(CheckShares(params));
  Params complete = params;
  complete.features = params.features.value_or(DefaultFeatures(params.kind));
  SOTTO_TRY(CheckSizes(complete, *complete.features));
  return StreamGenerator(complete);
}

StreamGenerator::StreamGenerator(const Params& params)
    : params_(params),
      target_params_{.kind = params.kind,
                     .features = *params.features,
                     .margin = params.margin,
                     .length = params.length,
                     .nonzeros = params.nonzeros},
      cube_(params.kind == StreamKind::kThreshold ||
            params.kind == StreamKind::kStump ||
            params.kind == StreamKind::kRectangle),
      row_rng_(std::make_unique<ChaChaRng>(StreamKey("rows", 0))),
      noise_rng_(std::make_unique<ChaChaRng>(StreamKey("noise", 0))),
      poison_rng_(std::make_unique<ChaChaRng>(StreamKey("poison", 0))) {}

// Not a secret: anyone who knows the seed knows the stream.
Key StreamGenerator::StreamKey(std::string_view purpose,
                               std::uint64_t number) const {
  const std::array<std::byte, Key::kBytes> zeros{};
  return Key::FromBytes(zeros).Derive(
      "stream-v1", purpose, {Name(params_.kind), params_.seed, number});
}

void StreamGenerator::Advance() {
  const bool drifts = params_.drift != 0 && rows_ % params_.drift == 0;
  if (rows_ == 0 || drifts) {
    ChaChaRng rng(StreamKey("target", drifts ? rows_ / params_.drift : 0));
    target_ = GeneratedTarget::Draw(target_params_, rng);
  }
  ++rows_;
  target_->Row(*row_rng_, row_);
  if (Happens(params_.noise, *noise_rng_)) row_.y = !row_.y;
  row_.honest = !Happens(params_.poison, *poison_rng_);
  if (!row_.honest) Poison();
}

// A probe comes half as close as the one before; from 10^-14 on they begin
// again at 0.1. A favourite is repeated for kCopies rows.
void StreamGenerator::Poison() {
  constexpr std::uint64_t kSteps = 44;
  constexpr std::uint64_t kCopies = 1000;
  PoisonKind kind = params_.poison_kind;
  if (kind == PoisonKind::kMixed) {
    kind = kPoisons[static_cast<std::size_t>(
        Below(*poison_rng_, static_cast<std::int64_t>(kPoisons.size()) - 1))];
  }
  switch (kind) {
    case PoisonKind::kMislead:
    case PoisonKind::kMixed:
      target_->Poison(*poison_rng_, row_);
      break;
    case PoisonKind::kProbe:
      target_->Probe((kCubeOne / 10) >> (probes_++ % kSteps), *poison_rng_,
                     row_);
      break;
    case PoisonKind::kDuplicate:
      if (copies_++ % kCopies == 0) target_->Poison(*poison_rng_, favourite_);
      row_ = favourite_;
      break;
    case PoisonKind::kFlood:
      target_->Flood(*poison_rng_, row_);
      break;
  }
  row_.honest = false;
}

void StreamGenerator::Next(Round& round) {
  Advance();
  round.presence = Presence::kPresent;
  round.y = Label(row_.y);
  round.user.clear();
  round.honest.reset();
  if (params_.poison > 0) round.honest = row_.honest;
  round.x.resize(row_.cells.size());
  for (std::size_t i = 0; i < row_.cells.size(); ++i) {
    round.x[i] = {
        row_.index.empty() ? static_cast<std::uint32_t>(i) : row_.index[i],
        cube_ ? CubeValue(row_.cells[i]) : static_cast<double>(row_.cells[i])};
  }
}

std::string StreamGenerator::Header(StreamFormat format) const {
  if (format != StreamFormat::kCsv) return "";
  const std::string last = params_.poison > 0 ? "y,honest\n" : "y\n";
  if (IsSingle(params_.kind)) return "x," + last;
  std::string header;
  for (std::uint32_t i = 1; i <= features(); ++i) {
    header += 'x';
    header += std::to_string(i);
    header += ',';
  }
  return header + last;
}

bool StreamGenerator::CanWrite(StreamFormat format) const {
  return params_.nonzeros == 0 || format == StreamFormat::kLibsvm ||
         format == StreamFormat::kVw;
}

// "0." and 17 digits, or an integer.
void StreamGenerator::AppendValue(std::int64_t cell, std::string& text) const {
  if (!cube_) {
    AppendInteger(cell, text);
    return;
  }
  constexpr std::uint64_t kEight = 100'000'000;
  const auto number = static_cast<std::uint64_t>(cell);
  std::array<char, 19> digits{'0', '.'};
  digits[2] = static_cast<char>('0' + number / (kEight * kEight));
  AppendEight(static_cast<std::uint32_t>(number / kEight % kEight),
              digits.data() + 3);
  AppendEight(static_cast<std::uint32_t>(number % kEight), digits.data() + 11);
  text.append(digits.data(), digits.size());
}

void StreamGenerator::AppendRow(StreamFormat format, std::string& text) {
  Advance();
  const bool indexed =
      format == StreamFormat::kLibsvm || format == StreamFormat::kVw;
  if (indexed) text += row_.y ? "1" : "-1";
  if (format == StreamFormat::kVw) text += " |";
  if (format == StreamFormat::kJsonl) text += "{\"x\":[";
  for (std::size_t i = 0; i < row_.cells.size(); ++i) {
    if (indexed) {
      const std::size_t index = row_.index.empty() ? i : row_.index[i];
      const bool from_one = format == StreamFormat::kLibsvm;
      text += ' ';
      AppendInteger(static_cast<std::int64_t>(index + (from_one ? 1 : 0)),
                    text);
      text += ':';
    } else if (i > 0) {
      text += ',';
    }
    AppendValue(row_.cells[i], text);
  }
  if (format == StreamFormat::kCsv) {
    text += row_.y ? ",1" : ",0";
    if (params_.poison > 0) text += row_.honest ? ",1" : ",0";
  }
  if (format == StreamFormat::kJsonl)
    text += row_.y ? "],\"y\":1}" : "],\"y\":0}";
  text += '\n';
}

std::string_view Name(PoisonKind kind) {
  switch (kind) {
    case PoisonKind::kMislead:
      return "mislead";
    case PoisonKind::kProbe:
      return "probe";
    case PoisonKind::kDuplicate:
      return "duplicate";
    case PoisonKind::kFlood:
      return "flood";
    case PoisonKind::kMixed:
      break;
  }
  return "mixed";
}

std::optional<PoisonKind> PoisonNamed(std::string_view name) {
  for (const PoisonKind kind : kPoisons) {
    if (name == Name(kind)) return kind;
  }
  return std::nullopt;
}

}  // namespace sotto
