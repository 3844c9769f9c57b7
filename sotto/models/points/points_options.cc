#include "sotto/models/points/points_options.h"

#include <utility>

#include "sotto/accounting/rounding.h"
#include "sotto/base/number_text.h"

namespace sotto {

const OptionTable& PointsOptions() {
  static const OptionTable kTable = {
      {.name = "patience",
       .type = OptionType::kWhole,
       .help = "Accept a label for N further rounds; each adds one mistake per "
               "point. Default: --label-delay.",
       .high = static_cast<double>(PointPredictor::Params::kMostPatience),
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
       .group = "Learning"},
      {.name = "constants",
       .fallback = "least",
       .help = "With --calibration paper: the smallest numbers that keep the "
               "guarantee, or the printed ones.",
       .words = {"least", "printed"},
       .group = "Learning"},
      {.name = "constant",
       .type = OptionType::kReal,
       .fallback = "1",
       .help = "With --constants printed: factor of the k that the paper "
               "leaves open.",
       .low = 1e-3,
       .high = 1e3,
       .group = "Learning"}};
  return kTable;
}

namespace {

bool IsPaper(const Settings& settings) {
  return settings.Text("calibration") == "paper";
}

Status CheckConstants(const Settings& settings) {
  const bool printed = settings.Text("constants") == "printed";
  if (!IsPaper(settings) &&
      (settings.SetByUser("constants") || settings.SetByUser("constant"))) {
    return InvalidArgument(
        "--constants and --constant are for --calibration paper");
  }
  if (!printed && settings.SetByUser("constant")) {
    return InvalidArgument("--constant is for --constants printed");
  }
  return Ok();
}

Result<std::uint64_t> Patience(const Settings& settings) {
  const std::uint64_t delay = settings.GetInt("label-delay");
  const std::uint64_t patience =
      settings.GetOptionalInt("patience").value_or(delay);
  if (patience < delay) {
    return InvalidArgument(
        "--patience must not be below --label-delay: no label would count");
  }
  return patience;
}

Result<AnyPoints> MakePaperPoints(const Settings& settings,
                                  const ApproximateDp& round,
                                  std::uint64_t patience) {
  const bool printed = settings.Text("constants") == "printed";
  SOTTO_TRY_ASSIGN(
      const auto design,
      ChooseHistogramPointDesign(
          round, printed ? PaperNumbers::kPrinted : PaperNumbers::kLeast,
          settings.GetDouble("constant")));
  SOTTO_TRY_ASSIGN(auto points, HistogramPointPredictor::Create(
                                    {.design = design, .patience = patience}));
  const ApproximateDp cost = Total(points.spend());
  if (!(cost.epsilon <= round.epsilon && cost.delta <= round.delta)) {
    return Error{ErrorCode::kBudgetExhausted,
                 "with --constant " + Shortest(settings.GetDouble("constant")) +
                     " a round costs epsilon " + TextUp(cost.epsilon) +
                     " and delta " + TextUp(cost.delta) + ", of which " +
                     TextUp(round.epsilon) + " and " + TextUp(round.delta) +
                     " are there. A larger --constant costs less delta."};
  }
  return AnyPoints(std::move(points));
}

}  // namespace

Result<AnyPoints> MakePoints(const Settings& settings,
                             const ApproximateDp& share) {
  SOTTO_TRY(CheckConstants(settings));
  SOTTO_TRY_ASSIGN(const auto patience, Patience(settings));
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  SOTTO_TRY_ASSIGN(
      const auto round,
      RoundTarget(share, relation, settings.GetInt("rounds-per-user")));
  if (IsPaper(settings)) return MakePaperPoints(settings, round, patience);
  SOTTO_TRY_ASSIGN(const auto design, ChoosePointDesign(round, relation));
  SOTTO_TRY_ASSIGN(auto points, PointPredictor::Create(
                                    {.design = design, .patience = patience}));
  return AnyPoints(std::move(points));
}

void SavePoints(const AnyPoints& points, ByteWriter& writer) {
  std::visit(
      [&](const auto& p) {
        p.params().design.Save(writer);
        writer.Number(p.params().patience);
        p.Save(writer);
      },
      points);
}

// The design comes from the state and is not searched for again.
Result<AnyPoints> LoadPoints(const Settings& settings, ByteReader& reader) {
  const auto load = [&](auto params) -> Result<decltype(params)> {
    params.design = decltype(params.design)::Load(reader);
    params.patience = reader.template Number<std::uint64_t>();
    if (reader.failed()) return Corruption("the saved points end too soon");
    return params;
  };
  if (IsPaper(settings)) {
    SOTTO_TRY_ASSIGN(const auto params,
                     load(HistogramPointPredictor::Params{}));
    SOTTO_TRY_ASSIGN(auto points,
                     HistogramPointPredictor::Load(params, reader));
    return AnyPoints(std::move(points));
  }
  SOTTO_TRY_ASSIGN(const auto params, load(PointPredictor::Params{}));
  SOTTO_TRY_ASSIGN(auto points, PointPredictor::Load(params, reader));
  return AnyPoints(std::move(points));
}

Result<Guarantee> PointsPromise(const Settings& settings,
                                const AnyPoints& points) {
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  const std::uint64_t rounds = settings.GetInt("rounds-per-user");
  const auto* paper = std::get_if<HistogramPointPredictor>(&points);
  Spend user = UserPromise(
      paper != nullptr ? paper->spend()
                       : std::get<PointPredictor>(points).spend(relation),
      relation, rounds);
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
