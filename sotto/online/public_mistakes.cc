#include "sotto/online/public_mistakes.h"

#include <algorithm>
#include <cmath>

#include "sotto/accounting/rounding.h"

namespace sotto {
namespace {

constexpr double kShare = 0.1;
// Covers the error of exp.
constexpr double kExpError = 1e-14;

// The horizon is about how many rounds there will be; the count continues for
// many times as many, which costs it little.
constexpr std::uint64_t kBeyond = 64;
constexpr std::uint64_t kMost = std::uint64_t{1} << 31;  // what counters take

std::uint64_t Counted(std::uint64_t horizon) {
  return std::min(kMost, std::min(kMost, horizon) * kBeyond);
}

Counter::Params MakeParams(const ApproximateDp& share, std::uint64_t horizon) {
  return {.epsilon = share.epsilon,
          .delta = share.delta,
          .horizon = Counted(horizon)};
}

}  // namespace

Result<PublicShares> ShareWithMistakes(const ApproximateDp& whole) {
  const ApproximateDp mistakes{DownMul(whole.epsilon, kShare),
                               DownMul(whole.delta, kShare)};
  // Step 4: the model's delta counts e^epsilon(mistakes) times.
  const double factor = InflateUp(std::exp(mistakes.epsilon), kExpError);
  const ApproximateDp model{
      DownAdd(whole.epsilon, -mistakes.epsilon),
      DownDiv(DownAdd(whole.delta, -mistakes.delta), factor)};
  if (!(mistakes.epsilon > 0 && mistakes.delta > 0 && model.delta > 0)) {
    return InvalidArgument(
        "--public takes a tenth of epsilon and delta: both must be positive");
  }
  return PublicShares{model, mistakes};
}

Result<PublicMistakes> PublicMistakes::Create(const ApproximateDp& share,
                                              std::uint64_t horizon,
                                              const Key& key) {
  auto counter = Counter::Create(MakeParams(share, horizon));
  if (!counter) {
    return Error{counter.error().code,
                 "--public counts mistakes with a tenth of --epsilon and "
                 "--delta: " +
                     counter.error().message};
  }
  return PublicMistakes(*std::move(counter), horizon, key);
}

std::int64_t PublicMistakes::Add(bool mistake) {
  if (horizon_ > 0 && counter_.steps() >= Counted(horizon_)) return shown_;
  HistoryRng rng(place_);
  rng.Absorb(mistake ? 1 : 0);
  const auto estimate = counter_.Add(mistake ? 1 : 0, rng);
  place_ = rng.key();
  // There are no fewer than none and no more than rounds.
  const auto most = static_cast<std::int64_t>(counter_.steps());
  if (estimate) shown_ = std::clamp<std::int64_t>(*estimate, 0, most);
  return shown_;
}

void PublicMistakes::Save(ByteWriter& writer) const {
  const auto place = place_.bytes();
  writer.Text({reinterpret_cast<const char*>(place.data()), place.size()});
  writer.Number(shown_);
  counter_.Save(writer);
}

Result<PublicMistakes> PublicMistakes::Load(const ApproximateDp& share,
                                            std::uint64_t horizon,
                                            ByteReader& reader) {
  const std::string_view place = reader.Text();
  const auto shown = reader.Number<std::int64_t>();
  if (place.size() != Key::kBytes || shown < 0) {
    return Corruption("the saved private count makes no sense");
  }
  SOTTO_TRY_ASSIGN(auto counter,
                   Counter::Load(MakeParams(share, horizon), reader));
  PublicMistakes mistakes(
      std::move(counter), horizon,
      Key::FromBytes(std::span<const std::byte, Key::kBytes>(
          reinterpret_cast<const std::byte*>(place.data()), Key::kBytes)));
  mistakes.shown_ = shown;
  return mistakes;
}

}  // namespace sotto
