#include "sotto/models/points/points_options.h"

namespace sotto {

const OptionTable& PointsOptions() {
  static const OptionTable kTable = {
      {.name = "patience",
       .type = OptionType::kWhole,
       .help = "Accept a label for N further rounds; each adds one mistake per "
               "point. Default: --label-delay.",
       .high = static_cast<double>(PointPredictor::kMostPatience),
       .group = "Learning"},
      {.name = "features",
       .type = OptionType::kWhole,
       .help = "libsvm, vw, jsonl: rows are N numbers. Default: any row is a "
               "point.",
       .high = 0x1p30,
       .group = "Learning"},
      {.name = "points",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help =
           "Public estimate of the number of points labelled 1, for the plan.",
       .low = 1,
       .high = 1e12,
       .group = "Learning"},
      {.name = "share",
       .type = OptionType::kReal,
       .fallback = "0.05",
       .help = "Public estimate of the fraction of rounds that bring one of "
               "them, for the plan.",
       .high = 1,
       .above = true,
       .group = "Learning"}};
  return kTable;
}

Result<PointPredictor::Params> PointsParams(const Settings& settings,
                                            const ApproximateDp& share) {
  if (settings.Text("calibration") == "paper") {
    return InvalidArgument(
        "points has no --calibration paper: the paper leaves its constants "
        "open");
  }
  const std::uint64_t delay = settings.GetInt("label-delay");
  const std::uint64_t patience =
      settings.GetOptionalInt("patience").value_or(delay);
  if (patience < delay) {
    return InvalidArgument(
        "--patience must not be below --label-delay: no label would count");
  }
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  SOTTO_TRY_ASSIGN(
      const auto round,
      RoundTarget(share, relation, settings.GetInt("rounds-per-user")));
  SOTTO_TRY_ASSIGN(const auto design, ChoosePointDesign(round, relation));
  return PointPredictor::Params{.design = design, .patience = patience};
}

Result<Guarantee> PointsPromise(const Settings& settings,
                                const PointPredictor& points) {
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  const std::uint64_t rounds = settings.GetInt("rounds-per-user");
  Spend user = UserPromise(points.spend(relation), relation, rounds);
  const ApproximateDp total = Total(user);
  return MakeGuarantee(
      {.notion = Notion::kChallengeDp,
       .relation = relation,
       .rounds_per_user = rounds,
       .protects = "a user's point, label, and when the label came",
       .spend = std::move(user)},
      total);
}

}  // namespace sotto
