#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/data/streams/schema.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/points/non_private_points.h"
#include "sotto/models/points/point_predictor.h"
#include "sotto/models/points/points_options.h"
#include "sotto/models/points/points_paper.h"

namespace sotto {
namespace {

// Mistakes for each round that a constant would get wrong.
constexpr double kHopeless = 0.5;
constexpr double kComfortable = 0.1;

// Probability that a gate passes if each label of the window is a 1 with
// probability `rate`: a sum over the binomial distribution.
double PassProbability(const MirrorDistribution& distribution, double rate) {
  const auto size = static_cast<double>(distribution.last());
  double pass = 0;
  double below = 0;  // Pr[gate <= count]
  for (std::uint64_t count = 1; count <= distribution.last(); ++count) {
    below += static_cast<double>(distribution.Probability(count));
    const auto n = static_cast<double>(count);
    double log =
        std::lgamma(size + 1) - std::lgamma(n + 1) - std::lgamma(size - n + 1);
    log += n * std::log(rate);
    if (count < distribution.last()) log += (size - n) * std::log1p(-rate);
    pass += std::exp(log) * std::min(below, 1.0);
  }
  return std::min(pass, 1.0);
}

// Mistakes expected on a stream that is as the settings say.
struct PointsForecast {
  double mistakes = 0;
  // Never more, if every label comes in time and is right.
  std::optional<double> bound = {};
  double positives = 0;  // rounds that bring a point that is labelled 1
  // Probability that a point passes its gate, with labels that come and are
  // right as often as the settings say.
  double passes = 1;
  Verdict verdict = Verdict::kComfortable;
};

// Algorithm 3 learns one point. With several the histogram may name none.
PointsForecast ForecastPoints(const Settings& settings,
                              const HistogramPointPredictor& points) {
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  const double noise = settings.GetDouble("label-noise");
  PointsForecast forecast;
  forecast.positives = horizon * settings.GetDouble("share");
  const double right = settings.GetDouble("label-rate") * (1 - noise);
  forecast.passes = settings.GetInt("points") > 1
                        ? 0
                        : points.SuccessProbability(std::min(right, 1.0));
  const double excess = forecast.passes * std::min(points.expected_mistakes(),
                                                   forecast.positives) +
                        (1 - forecast.passes) * forecast.positives;
  forecast.mistakes = excess + noise * horizon;
  forecast.verdict = VerdictBelow(excess / std::max(forecast.positives, 1.0),
                                  kComfortable, kHopeless);
  return forecast;
}

PointsForecast ForecastPoints(const Settings& settings,
                              const PointPredictor& points) {
  const auto many = static_cast<double>(settings.GetInt("points"));
  const auto horizon = static_cast<double>(settings.GetInt("horizon"));
  const double noise = settings.GetDouble("label-noise");
  PointsForecast forecast;
  forecast.positives = horizon * settings.GetDouble("share");
  forecast.passes =
      PassProbability(points.gate().distribution(),
                      settings.GetDouble("label-rate") * (1 - noise));
  const double each =
      std::min(points.expected_mistakes(), forecast.positives / many);
  const double excess = forecast.passes * each * many +
                        (1 - forecast.passes) * forecast.positives;
  forecast.mistakes = excess + noise * horizon;
  if (const auto worst = points.worst_mistakes();
      worst && forecast.passes == 1) {
    forecast.bound = many * static_cast<double>(*worst) + noise * horizon;
  }
  const double part = excess / std::max(forecast.positives, 1.0);
  forecast.verdict = VerdictBelow(part, kComfortable, kHopeless);
  return forecast;
}

Json PointsParameters(const PointPredictor& points) {
  const PointDesign& design = points.params().design;
  return Json::Object{
      {"gate", points.gate().size()},
      {"gate_epsilon", design.gate.epsilon},
      {"gate_delta", design.gate.delta},
      {"mirror", points.mirror_name()},
      {"mirror_epsilon_one_over_zero", design.mirror.one_over_zero.epsilon},
      {"mirror_epsilon_zero_over_one", design.mirror.zero_over_one.epsilon},
      {"mirror_delta", design.mirror.one_over_zero.delta},
      {"patience", points.params().patience},
      {"mistakes_a_point", points.expected_mistakes()}};
}

Json PointsParameters(const HistogramPointPredictor& points) {
  return PaperPointsParameters(points);
}

std::string PointsInWords(const HistogramPointPredictor& points) {
  return PaperPointsSummary(points);
}

std::string PointsInWords(const PointPredictor& points) {
  return "points: the first " + WithCommas(points.silent_rounds()) +
         " rounds of each point are answered 0, and " +
         WithCommas(points.gate().size()) +
         " labels decide; then a secret number more, about " +
         WholeWithCommas(points.expected_mistakes()) + " in all (" +
         std::string(points.mirror_name()) + ")";
}

// The predictor as a session drives it.
struct PointsCore {
  using Round = PointRound;
  static constexpr std::size_t kBatch = 256;
  static constexpr bool kReleasePerPhase = false;

  static Result<PointsCore> Create(const ModelRequest& request);
  static Result<PointsCore> Load(const ModelRequest& request,
                                 ByteReader& reader);
  static Result<PointsCore> Make(const ModelRequest& request, AnyPoints points,
                                 OnlineModel::Forecast forecast);

  std::uint64_t phase() const { return 0; }
  Result<OpenedRound<Round>> Open(FeatureView x, std::string_view, Rng& rng) {
    return std::visit(
        [&](auto& p) {
          const auto opened = p.Open(PointKey(x), rng);
          return OpenedRound<Round>{{.prediction = Label(opened.prediction)},
                                    opened.round};
        },
        points);
  }
  void PlayEmptyRound(Rng& rng) {
    if (auto* paper = std::get_if<HistogramPointPredictor>(&points)) {
      paper->PlayEmptyRound(rng);
    } else {
      std::get<PointPredictor>(points).PlayEmptyRound();
    }
  }
  void Close(const Round& round, const Label& y) {
    std::visit([&](auto& p) { p.Close(round, y.positive()); }, points);
  }
  void Save(ByteWriter& writer) const {
    facts.forecast.Save(writer);
    SavePoints(points, writer);
  }
  Result<Round> LoadRound(ByteReader& reader) const {
    return Round::Load(reader);
  }

  ModelFacts facts;
  AnyPoints points;
};

std::vector<std::string> Caveats(const AnyPoints& points) {
  const std::uint64_t patience =
      std::visit([](const auto& p) { return p.params().patience; }, points);
  std::vector<std::string> caveats = {"Labels count if they come within " +
                                      WithCommas(patience) +
                                      " further rounds of their own "
                                      "(--patience)."};
  const bool paper = std::holds_alternative<HistogramPointPredictor>(points);
  caveats.emplace_back(
      paper ? "One point is learned, once: what the first labels decided stays."
            : "What a point's first labels decided stays: it is not learned "
              "again.");
  return caveats;
}

Result<PointsCore> PointsCore::Make(const ModelRequest& request,
                                    AnyPoints points,
                                    OnlineModel::Forecast forecast) {
  SOTTO_TRY_ASSIGN(auto promise, PointsPromise(request.settings, points));
  Json parameters =
      std::visit([](const auto& p) { return PointsParameters(p); }, points);
  std::string summary =
      std::visit([](const auto& p) { return PointsInWords(p); }, points);
  return PointsCore{{.guarantee = std::move(promise),
                     .parameters = std::move(parameters),
                     .summary = std::move(summary),
                     .caveats = Caveats(points),
                     .forecast = std::move(forecast)},
                    std::move(points)};
}

PointsForecast ForecastPoints(const Settings& settings,
                              const AnyPoints& points) {
  return std::visit([&](const auto& p) { return ForecastPoints(settings, p); },
                    points);
}

Result<PointsCore> PointsCore::Create(const ModelRequest& request) {
  SOTTO_TRY_ASSIGN(auto points, MakePoints(request.settings, request.share));
  OnlineModel::Forecast forecast;
  if (request.settings.GetInt("horizon") > 0) {
    const PointsForecast made = ForecastPoints(request.settings, points);
    forecast = {.expected = made.mistakes,
                .bound = made.bound,
                .verdict = std::string(ToString(made.verdict))};
  }
  return Make(request, std::move(points), std::move(forecast));
}

// The session compares the guarantee with the budget.
Result<PointsCore> PointsCore::Load(const ModelRequest& request,
                                    ByteReader& reader) {
  auto forecast = OnlineModel::Forecast::Load(reader);
  SOTTO_TRY_ASSIGN(auto points, LoadPoints(request.settings, reader));
  return Make(request, std::move(points), std::move(forecast));
}

// Strings go into as many buckets as there may be: none costs anything, and two
// strings in one bucket would be one point.
Status Prepare(const Settings& settings, ReaderParams& request) {
  constexpr int kHashBits = 30;
  const auto features = static_cast<std::uint32_t>(settings.GetInt("features"));
  FillEncoding({.each_costs = features > 0,
                .features = features,
                .vw_hash_bits = kHashBits},
               settings, request);
  if (features == 0 && !settings.Has("hash-bits")) {
    request.encoding.hash_bits = kHashBits;
  }
  return Ok();
}

// A schema does not say that exactly the same rows repeat and a few of them
// decide. A caller who knows it says so by choosing points.
Status Suit(const InputSpec& inputs, const Settings&, Settings&) {
  const bool categories =
      inputs.schema != nullptr && inputs.schema->columns.size() == 1 &&
      inputs.schema->columns[0].type == SchemaColumn::Type::kCategory;
  if (categories) return Ok();
  return InvalidArgument(
      "is for streams in which the very same rows come again and few of them "
      "are labelled 1: name it if that is so");
}

void Judge(const Settings& settings, const PointPredictor& points, Plan& plan) {
  if (settings.GetInt("horizon") == 0) return;
  const PointsForecast forecast = ForecastPoints(settings, points);
  plan.mistakes_expected = forecast.mistakes;
  plan.verdict = forecast.verdict;
  // How many points there are must have been stated for a bound on them all.
  const bool stated = settings.SetByUser("points");
  if (stated) plan.mistakes_bound = forecast.bound;
  if (stated) plan.presumes = ForecastAssumption::kNothing;
  if (!stated) {
    plan.caveats.emplace_back(
        "Expected with one point that is labelled 1; each further one costs as "
        "much. --points N says how many there are.");
  }
  if (const auto worst = points.worst_mistakes()) {
    plan.more["mistakes_bound_a_point"] = *worst;
    plan.table += PlanLine("proved", "at most " + WithCommas(*worst) +
                                         " mistakes at each such point, if its "
                                         "labels are right and come in time");
  }
  plan.more["pass_probability"] = forecast.passes;
  if (forecast.verdict == Verdict::kComfortable) return;
  constexpr double kEnough = 0.99;
  if (forecast.passes < kEnough) {
    plan.advice.emplace_back(
        "too few of a point's first labels would be 1 for its gate: more "
        "labels, or labels that are right more often");
  } else {
    plan.advice.push_back(
        "a point needs about " +
        WholeWithCommas(10 * points.expected_mistakes()) +
        " rounds of its own to be comfortable; more epsilon makes it fewer");
  }
}

// Which other model would serve better, and when.
void Compare(const Settings& settings, Plan& plan) {
  plan.caveats.emplace_back(
      "Expected are mistakes at points whose labels are always 1, beside "
      "others whose labels are always 0.");
  plan.caveats.emplace_back(
      "Serves better: leader --learner finite --class points:N, if the points "
      "are 0 to N-1 with N at most some thousands, rows stay alike over time "
      "and the point may be published: fewer mistakes, delta 0.");
  plan.caveats.emplace_back(
      "Serves better: tide or leader, if what rows have in common tells their "
      "labels: points learns every row on its own.");
  if (settings.Text("relation") == "replace") {
    plan.caveats.emplace_back(
        "With --relation add-remove, if that is what is to be hidden, a round "
        "costs about half, and mistakes are about half.");
  }
}

// The plan of --calibration paper.
Result<Plan> PaperPlan(const Settings& settings,
                       const HistogramPointPredictor& points,
                       Guarantee promise) {
  Plan plan{.model = PointsInWords(points),
            .parameters = PointsParameters(points),
            .guarantee = std::move(promise),
            .presumes = ForecastAssumption::kMargin};
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  SOTTO_TRY_ASSIGN(
      const auto round,
      RoundTarget({settings.GetDouble("epsilon"), settings.GetDouble("delta")},
                  relation, settings.GetInt("rounds-per-user")));
  AddPaperNumbers(round, settings.GetDouble("constant"), plan);
  plan.caveats.emplace_back(
      "Serves better: --calibration practical: fewer mistakes, and any number "
      "of points.");
  if (settings.GetInt("horizon") == 0) return plan;
  const PointsForecast forecast = ForecastPoints(settings, points);
  plan.mistakes_expected = forecast.mistakes;
  plan.verdict = forecast.verdict;
  plan.more["pass_probability"] = forecast.passes;
  if (forecast.verdict != Verdict::kComfortable) {
    plan.advice.emplace_back("--calibration practical errs less");
  }
  return plan;
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec*) {
  SOTTO_TRY_ASSIGN(const auto made,
                   MakePoints(settings, {settings.GetDouble("epsilon"),
                                         settings.GetDouble("delta")}));
  SOTTO_TRY_ASSIGN(auto promise, PointsPromise(settings, made));
  if (const auto* paper = std::get_if<HistogramPointPredictor>(&made)) {
    return PaperPlan(settings, *paper, std::move(promise));
  }
  const auto& points = std::get<PointPredictor>(made);
  Plan plan{.model = PointsInWords(points),
            .parameters = PointsParameters(points),
            .guarantee = std::move(promise),
            .presumes = ForecastAssumption::kMargin};
  plan.table =
      PlanLine("window", "the first " + WithCommas(points.gate().size()) +
                             " labels of a point decide on it") +
      PlanLine("silent", "its first " + WithCommas(points.silent_rounds()) +
                             " rounds are answered 0") +
      PlanLine("at a point", WholeWithCommas(points.expected_mistakes()) +
                                 " mistakes expected");
  Judge(settings, points, plan);
  Compare(settings, plan);
  return plan;
}

Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivate(const ModelRequest&) {
  return NonPrivateOver(AnyLearner(NonPrivatePoints()));
}

}  // namespace

const OnlineModelEntry& PointsEntry() {
  static const OnlineModelEntry kEntry = {
      .name = "points",
      .help =
          "Learn which exact values are labelled 1; mistakes do not grow with "
          "the rounds",
      .example = "--epsilon 3 --delta 1e-6 --horizon 1e5",
      .options = PointsOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "any stream whose label is 1 at a few values only",
      .publishes = "nothing",
      .prepare = Prepare,
      .choose_defaults = Suit,
      .plan = MakePlan,
      .create = OnlineModelAdapter<PointsCore>::Create,
      .load = OnlineModelAdapter<PointsCore>::Load,
      .plain = MakeNonPrivate};
  return kEntry;
}

}  // namespace sotto
