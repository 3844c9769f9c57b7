#include "sotto/models/points/points_options.h"

namespace sotto {

const OptionTable& PointsOptions() {
  static const OptionTable kTable = {
      {.name = "patience",
       .type = OptionType::kWhole,
       .help = "a label counts if it comes within so many further rounds; each "
               "costs every point one more mistake (left out: --label-delay)",
       .high = static_cast<double>(PointPredictor::kMostPatience),
       .group = "Learning"},
      {.name = "features",
       .type = OptionType::kWhole,
       .help = "libsvm, vw, jsonl: rows are so many numbers, and strings are "
               "refused; left out: any row is a point",
       .high = 0x1p30,
       .group = "Learning"},
      {.name = "points",
       .type = OptionType::kWhole,
       .fallback = "1",
       .help = "about how many points are labelled 1, as far as is publicly "
               "known: the plan counts with it, nothing else",
       .low = 1,
       .high = 1e12,
       .group = "Learning"},
      {.name = "share",
       .type = OptionType::kReal,
       .fallback = "0.05",
       .help = "the share of rounds that bring one of them, as far as is "
               "publicly known: the plan counts with it, nothing else",
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
