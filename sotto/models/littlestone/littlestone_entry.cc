#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/dimension_search.h"
#include "sotto/learners/classes/paper_learners.h"
#include "sotto/learners/erm_learner.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/fits/fit_file.h"
#include "sotto/models/fits/published_fit.h"
#include "sotto/models/littlestone/finite_class_learner.h"
#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/models/littlestone/littlestone_options.h"
#include "sotto/models/littlestone/littlestone_text.h"
#include "sotto/models/papers/dp_online_learner.h"
#include "sotto/models/papers/dp_online_plan.h"

namespace sotto {
namespace {

// Mistakes as a fraction of the rounds above and below which the plan is
// hopeless or comfortable.
constexpr double kHopeless = 0.2;
constexpr double kComfortable = 0.02;

Status Prepare(const Settings& settings, ReaderParams& request) {
  FillEncoding({.each_costs = true}, settings, request);
  // Points are numbered, not measured.
  request.encoding.raw_numbers = true;
  return TakePoints(settings, request);
}

// A learner of a finite class as a session drives it. A phase lasts from one
// change of the hypothesis to the next.
template <typename Learner>
struct LittlestoneCore {
  // A round of the learner; both have the same.
  struct Round : PendingRounds::Round {
    void Save(ByteWriter& writer) const {
      writer.Number(static_cast<std::uint8_t>(prediction ? 1 : 0));
      writer.Number(index);
    }
  };
  static constexpr std::size_t kBatch = 256;
  static constexpr bool kReleasePerPhase = true;
  static constexpr bool kStopsAtRelease = true;

  static Result<LittlestoneCore> Make(const ModelRequest& request,
                                      Result<Learner> learner);

  std::uint64_t phase() const { return learner.releases(); }
  Result<OpenedRound<Round>> Open(FeatureView x, std::string_view, Rng& rng) {
    std::array<std::uint32_t, 1> code{};
    file.columns.Encode(x, code);
    const Round round{learner.Open(code[0], rng)};
    return OpenedRound<Round>{{.prediction = Label(round.prediction)}, round};
  }
  void PlayEmptyRound(Rng& rng) { learner.PlayEmptyRound(rng); }
  void Close(const Round& round, const Label& y) {
    learner.Close(round, y.positive());
  }
  Json hypothesis() const {
    FitFile published = file;
    published.hypothesis = FitHypothesis::Table(learner.hypothesis());
    return published.ToJson();
  }
  ModelAnswer PredictPublished(FeatureView x) const {
    std::array<std::uint32_t, 1> code{};
    file.columns.Encode(x, code);
    const std::vector<bool>& table = learner.hypothesis();
    return {.prediction = Label(code[0] < table.size() && table[code[0]])};
  }
  void Save(ByteWriter& writer) const { learner.Save(writer); }
  Result<Round> LoadRound(ByteReader& reader) const {
    Round round;
    round.prediction = reader.Number<std::uint8_t>() != 0;
    round.index = reader.Number<std::uint64_t>();
    if (!reader.failed()) return round;
    return Corruption("a round of the class learner is damaged");
  }

  ModelFacts facts;
  Learner learner;
  FitFile file;  // without a hypothesis
};

template <typename Learner>
Result<LittlestoneCore<Learner>> LittlestoneCore<Learner>::Make(
    const ModelRequest& request, Result<Learner> learner) {
  if (!learner) return learner.error();
  const auto& params = learner->params();
  SOTTO_TRY_ASSIGN(const auto columns,
                   LittlestoneColumns(*params.functions, request.inputs));
  FitFile file{.fit = "finite", .columns = columns};
  if (request.inputs.label.names.size() == 2) {
    file.labels.negative = request.inputs.label.names[0];
    file.labels.positive = request.inputs.label.names[1];
  }
  ModelFacts facts{
      .guarantee = learner->guarantee(),
      .parameters = LittlestoneParameters(params),
      .summary = LittlestoneInWords(params),
      .caveats = {"Every hypothesis is published and may be kept by anybody; a "
                  "user's own prediction is for that user alone.",
                  VotesInWords(params),
                  "When all changes are used up, the last hypothesis stays."}};
  return LittlestoneCore{std::move(facts), *std::move(learner),
                         std::move(file)};
}

template <typename Learner>
Result<std::unique_ptr<OnlineModel>> MakeModel(const ModelRequest& request,
                                               Result<Learner> learner) {
  return OnlineModelAdapter<LittlestoneCore<Learner>>::Wrap(
      LittlestoneCore<Learner>::Make(request, std::move(learner)));
}

// FiniteClassLearner, or with the paper's calibration DpOnlineLearner.
Result<std::unique_ptr<OnlineModel>> CreateLittlestone(
    const ModelRequest& request) {
  if (IsPaper(request.settings)) {
    SOTTO_TRY_ASSIGN(auto params,
                     DpOnlineParams(request.settings, request.share));
    return MakeModel(request, DpOnlineLearner::Create(std::move(params)));
  }
  SOTTO_TRY_ASSIGN(auto params,
                   LittlestoneParams(request.settings, request.share));
  return MakeModel(request, FiniteClassLearner::Create(std::move(params)));
}

Result<std::unique_ptr<OnlineModel>> LoadLittlestone(
    const ModelRequest& request, ByteReader& reader) {
  if (IsPaper(request.settings)) {
    SOTTO_TRY_ASSIGN(auto params,
                     DpOnlineParams(request.settings, request.share));
    return MakeModel(request, DpOnlineLearner::Load(std::move(params), reader));
  }
  SOTTO_TRY_ASSIGN(auto params,
                   LittlestoneParams(request.settings, request.share));
  return MakeModel(request,
                   FiniteClassLearner::Load(std::move(params), reader));
}

void Judge(const Settings& settings, Plan& plan) {
  const auto rounds = static_cast<double>(settings.GetInt("horizon"));
  if (rounds == 0) return;
  const double excess = std::min(rounds, *plan.mistakes_expected);
  plan.mistakes_expected = excess + settings.GetDouble("label-noise") * rounds;
  plan.verdict =
      VerdictBelow(excess, kComfortable * rounds, kHopeless * rounds);
}

// Mistakes of the paper's own learner if all its calls are used, with the least
// numbers: at least, where the dimension is not known.
double PaperMistakes(const Settings& settings,
                     const FiniteClassLearner::Params& params,
                     const DimensionBounds& bounds) {
  constexpr double kUsualHorizon = 1e6;
  const auto horizon = settings.GetInt("horizon");
  if (bounds.lo == bounds.hi) {
    const auto chosen =
        ChooseDpOnline({.functions = params.functions,
                        .user = params.user,
                        .relation = params.relation,
                        .rounds_per_user = params.rounds_per_user,
                        .delay = params.delay,
                        .horizon = horizon,
                        .adversary = params.streams});
    if (chosen) return DpOnlineMistakes(*chosen);
  }
  return PaperOnlineFor(
             bounds.lo,
             horizon > 0 ? static_cast<double>(horizon) : kUsualHorizon,
             params.user.epsilon, params.user.delta)
      .mistakes;
}

// Adds the cost of the paper's learner, and why it is not the one that runs.
void Compare(const Settings& settings, const FiniteClassLearner::Params& params,
             Plan& plan) {
  const DimensionBounds bounds = QuickDimension(*params.functions);
  const bool known = bounds.lo == bounds.hi;
  const double mistakes = PaperMistakes(settings, params, bounds);
  plan.more["littlestone_dimension_lo"] = bounds.lo;
  plan.more["littlestone_dimension_hi"] = bounds.hi;
  plan.more["paper"] = Json::Object{{"mistakes", mistakes}};
  plan.table += PlanLine("the paper's DP-OL",
                         WholeWithCommas(mistakes) + (known ? "" : " or more") +
                             " mistakes (Littlestone dimension " +
                             std::to_string(bounds.lo) +
                             (known ? "" : " to " + std::to_string(bounds.hi)) +
                             "; --calibration paper)");
  plan.caveats.emplace_back(
      "Chosen: a test of mistakes with the exponential mechanism over the "
      "class, which pays for the logarithm of the class; DP-OL pays for a "
      "power of its dimension.");
}

// Adds the statement about mistakes. Parameters set explicitly get none, as the
// count of all calls is the paper's for the paper's numbers only.
void JudgePaper(const Settings& settings, const DpOnlineLearner::Params& params,
                bool runs, Plan& plan) {
  const bool by_hand =
      params.form == TeacherLists::Form::kGreedy ||
      std::ranges::any_of(std::array{"teachers", "p", "stages", "changes",
                                     "votes", "limit", "period"},
                          [&](const char* name) { return settings.Has(name); });
  const bool learns = TeachersSuffice(params);
  if (!by_hand) Judge(settings, plan);
  if (by_hand || !learns) plan.mistakes_expected.reset();
  if (!runs || !learns) plan.verdict = Verdict::kHopeless;
  if (!learns) {
    plan.caveats.emplace_back(
        "So few teachers hardly ever get a function drawn, even if all agree: "
        "nothing is learned.");
  } else if (by_hand) {
    plan.caveats.emplace_back(
        "With parameters by hand, or greedy lists, mistakes are not foreseen: "
        "privacy does not depend on them, learning does.");
  }
}

// One body of numbers: printed, or least.
void AddNumbers(const char* name, const Result<DpOnlineLearner::Params>& params,
                Plan& plan) {
  const auto guarantee =
      params ? DpOnlineGuarantee(*params) : Result<Guarantee>(params.error());
  if (!guarantee) {
    plan.table += PlanLine(name, guarantee.error().message);
    plan.more[name] = Json::Object{{"refused", guarantee.error().message}};
    return;
  }
  plan.table += PlanLine(name, DpOnlineNumbersInWords(*params));
  plan.more[name] = LittlestoneParameters(*params);
}

// DP-OL itself: printed and least numbers side by side, what it takes if all
// calls are used, and for whom its votes are enough.
Result<Plan> PlanPaper(const Settings& settings, const InputSpec* inputs) {
  const ApproximateDp budget{settings.GetDouble("epsilon"),
                             settings.GetDouble("delta")};
  SOTTO_TRY_ASSIGN(const auto params, DpOnlineParams(settings, budget));
  if (inputs != nullptr) {
    SOTTO_TRY(LittlestoneColumns(*params.functions, *inputs));
  }
  const Status runs = CheckDpOnlineSize(params);
  if (runs) {
    SOTTO_TRY(DpOnlineLearner::Create(params));
  }
  SOTTO_TRY_ASSIGN(auto guarantee, DpOnlineGuarantee(params));
  Plan plan{.model = LittlestoneInWords(params),
            .parameters = LittlestoneParameters(params),
            .guarantee = std::move(guarantee),
            .mistakes_expected = DpOnlineMistakes(params),
            .presumes = ForecastAssumption::kRule};
  JudgePaper(settings, params, runs.has_value(), plan);
  plan.more["mistakes_of_all_calls"] = DpOnlineMistakes(params);
  plan.more["runs"] = runs.has_value();
  AddNumbers("printed", DpOnlineParams(settings, budget, true), plan);
  AddNumbers("least", DpOnlineParams(settings, budget, false), plan);
  plan.table += PlanLine(
      "theorem", "Lemma 6.2: O~(d^9.5 ln(T) ln(1/delta) / epsilon) mistakes");
  plan.caveats.push_back(VotesInWords(params));
  plan.caveats.emplace_back(
      "When the calls or stages are used up the hypothesis stays, and mistakes "
      "go on; nothing is proved of so many calls being enough.");
  if (!runs) plan.caveats.emplace_back("`sotto run` refuses so many teachers.");
  plan.advice.emplace_back("--calibration practical takes far fewer mistakes.");
  return plan;
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  if (IsPaper(settings)) return PlanPaper(settings, inputs);
  SOTTO_TRY_ASSIGN(const auto params,
                   LittlestoneParams(settings, {settings.GetDouble("epsilon"),
                                                settings.GetDouble("delta")}));
  if (inputs != nullptr) {
    SOTTO_TRY(LittlestoneColumns(*params.functions, *inputs));
  }
  SOTTO_TRY_ASSIGN(const auto learner, FiniteClassLearner::Create(params));
  Plan plan{.model = LittlestoneInWords(params),
            .parameters = LittlestoneParameters(params),
            .guarantee = learner.guarantee(),
            .mistakes_expected = ExpectedClassMistakes(params),
            .presumes = ForecastAssumption::kRule};
  Judge(settings, plan);
  Compare(settings, params, plan);
  plan.caveats.emplace_back(
      "Mistakes are expected of the worst streams of which a function of the "
      "class is right; streams that stay as they are cost far fewer under "
      "`leader --learner finite`.");
  plan.caveats.push_back(VotesInWords(params));
  return plan;
}

// The function of the class with the fewest mistakes so far.
struct NonPrivateFunction {
  bool Predict(FeatureView x) const { return erm.Predict(Point(x)); }
  void Update(FeatureView x, bool y) { erm.Update(Point(x), y); }
  void Save(ByteWriter& out) const { erm.Save(out); }
  Status Load(ByteReader& in) { return erm.Load(in); }

  FeatureVector Point(FeatureView x) const {
    std::array<std::uint32_t, 1> code{};
    columns.Encode(x, code);
    return {{0, static_cast<double>(code[0])}};
  }

  FitColumns columns;
  ErmLearner erm;
};

Result<std::unique_ptr<NonPrivateLearner>> MakeNonPrivate(
    const ModelRequest& request) {
  SOTTO_TRY_ASSIGN(auto read, ReadClass(request.settings.Text("class")));
  const auto functions = std::make_shared<const FiniteClass>(std::move(read));
  SOTTO_TRY_ASSIGN(auto columns,
                   LittlestoneColumns(*functions, request.inputs));
  return NonPrivateOver(AnyLearner(
      NonPrivateFunction{std::move(columns), ErmLearner(functions)}));
}

}  // namespace

const OnlineModelEntry& LittlestoneEntry() {
  static const ModelFileFormat kFile = {
      .name = "littlestone", .show = ShowFit, .read = ReadFit};
  static const OnlineModelEntry kEntry = {
      .name = "littlestone",
      .help = "A function of a finite class, against adversaries too",
      .example =
          "--epsilon 1 --delta 1e-6 --horizon 1e5 --class thresholds:255",
      .options = LittlestoneOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "no stream: a right function of the class is expected",
      .publishes = "functions",
      .semantics = 2,
      .prepare = Prepare,
      .plan = MakePlan,
      .create = CreateLittlestone,
      .load = LoadLittlestone,
      .plain = MakeNonPrivate,
      .file = &kFile};
  return kEntry;
}

}  // namespace sotto
