#include "sotto/models/stumps/non_private_stump.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sotto {

// A row's own number is rounded as those of the training rows are.
Label NonPrivateStump::Predict(FeatureView x) const {
  const auto value = static_cast<float>(ValueAt(x, cut_.axis.feature));
  return (value >= cut_.from) != cut_.axis.down;
}

void NonPrivateStump::FinishTraining() {
  const std::vector<std::int64_t> scores = table_.Scores();
  const auto best = std::ranges::max_element(scores);
  cut_ = table_.BestCut(
      StumpTable::MakeAxis(static_cast<std::size_t>(best - scores.begin())));
  table_ = StumpTable(static_cast<std::uint32_t>(scores.size() / 2));
}

void NonPrivateStump::Save(ByteWriter& writer) const {
  writer.Number(cut_.axis.feature);
  writer.Number(static_cast<std::uint8_t>(cut_.axis.down ? 1 : 0));
  writer.Real(cut_.from);
}

Status NonPrivateStump::Load(ByteReader& reader) {
  cut_.axis.feature = reader.Number<std::uint32_t>();
  cut_.axis.down = reader.Number<std::uint8_t>() != 0;
  cut_.from = static_cast<float>(reader.Real());
  if (!reader.failed() && !std::isnan(cut_.from)) return Ok();
  return Corruption("the saved stump without privacy makes no sense");
}

}  // namespace sotto
