#include "sotto/mechanisms/thresholds/sparse_vector.h"

#include <cassert>

namespace sotto {
namespace {

using Form = SparseVector::Form;
using Params = SparseVector::Params;

constexpr std::string_view kTag = "sparse_vector/1";

AboveThreshold::Params AboveParams(const Params& params, Form form) {
  using Noise = AboveThreshold::ThresholdNoise;
  const bool kept = form == Form::kNoisyThreshold;
  return {.epsilon = params.epsilon,
          .delta = kept ? 0 : params.delta,
          .threshold = params.threshold,
          .reports = params.reports,
          .monotone = params.monotone,
          .charge = params.charge,
          .threshold_noise = kept ? Noise::kKept : Noise::kRedrawn};
}

MultiAboveThreshold::Params MultiParams(const Params& params) {
  return {.epsilon = params.epsilon,
          .delta = params.delta,
          .threshold = params.threshold,
          .reports = params.reports,
          .charge = params.charge};
}

}  // namespace

std::string_view ToString(Form form) {
  switch (form) {
    case Form::kNoisyThreshold:
      return "noisy threshold";
    case Form::kRedrawnThreshold:
      return "redrawn threshold";
    case Form::kFreshNoise:
      return "fresh noise";
  }
  return "";
}

Result<SparseVector> SparseVector::CreateForm(const Params& params, Form form) {
  if (form == Form::kFreshNoise) {
    SOTTO_TRY_ASSIGN(auto test,
                     MultiAboveThreshold::Create(MultiParams(params)));
    return SparseVector(form, std::move(test));
  }
  SOTTO_TRY_ASSIGN(auto test,
                   AboveThreshold::Create(AboveParams(params, form)));
  return SparseVector(form, std::move(test));
}

Result<SparseVector> SparseVector::Create(const Params& params) {
  // The first form does without it, and would take any.
  if (!(params.delta >= 0 && params.delta < 1)) {
    return InvalidArgument("delta must be at least 0 and below 1");
  }
  if (params.form) return CreateForm(params, *params.form);
  auto best = CreateForm(params, Form::kNoisyThreshold);
  if (params.delta == 0) return best;
  for (const Form form : {Form::kRedrawnThreshold, Form::kFreshNoise}) {
    auto other = CreateForm(params, form);
    if (!other) continue;
    // The first form leaves delta unspent: it is beaten by a percent or not.
    if (!best || other->NoiseDeviation() < 0.99 * best->NoiseDeviation()) {
      best = std::move(other);
    }
  }
  return best;
}

SparseVector::Answer SparseVector::Test(std::int64_t value, Rng& rng) {
  return std::visit([&](auto& test) { return test.Test(value, rng); }, test_);
}

void SparseVector::TestBatch(std::span<const std::int64_t> values,
                             std::span<Answer> answers, Rng& rng) {
  std::visit([&](auto& test) { test.TestBatch(values, answers, rng); }, test_);
}

bool SparseVector::halted() const {
  return std::visit([](const auto& test) { return test.halted(); }, test_);
}

std::int64_t SparseVector::reports_left() const {
  return std::visit([](const auto& test) { return test.reports_left(); },
                    test_);
}

double SparseVector::query_rate() const {
  const auto* above = std::get_if<AboveThreshold>(&test_);
  return above != nullptr ? above->query_rate()
                          : std::get_if<MultiAboveThreshold>(&test_)->rate();
}

double SparseVector::NoiseDeviation() const {
  return std::visit([](const auto& test) { return test.NoiseDeviation(); },
                    test_);
}

std::int64_t SparseVector::ErrorBound(std::uint64_t tests,
                                      double failure) const {
  return std::visit(
      [&](const auto& test) { return test.ErrorBound(tests, failure); }, test_);
}

const Guarantee& SparseVector::guarantee() const {
  return std::visit(
      [](const auto& test) -> const Guarantee& { return test.guarantee(); },
      test_);
}

void SparseVector::Save(ByteWriter& writer) const {
  writer.Text(kTag);
  writer.Number(static_cast<std::uint8_t>(form_));
  std::visit([&](const auto& test) { test.Save(writer); }, test_);
}

Result<SparseVector> SparseVector::Load(const Params& params,
                                        ByteReader& reader) {
  if (reader.Text() != kTag) {
    return FailedPrecondition("the state belongs to another mechanism");
  }
  const auto number = reader.Number<std::uint8_t>();
  if (reader.failed() || number > static_cast<int>(Form::kFreshNoise)) {
    return Corruption("the saved test makes no sense");
  }
  const auto form = static_cast<Form>(number);
  if (params.form && *params.form != form) {
    return FailedPrecondition("the state belongs to another form of the test");
  }
  if (form == Form::kFreshNoise) {
    SOTTO_TRY_ASSIGN(auto test,
                     MultiAboveThreshold::Load(MultiParams(params), reader));
    return SparseVector(form, std::move(test));
  }
  SOTTO_TRY_ASSIGN(auto test,
                   AboveThreshold::Load(AboveParams(params, form), reader));
  return SparseVector(form, std::move(test));
}

}  // namespace sotto
