#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/adapter/online_model_adapter.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/fits/fit_file.h"
#include "sotto/models/fits/fit_table.h"
#include "sotto/models/fits/published_fit.h"
#include "sotto/models/leader/leader_options.h"
#include "sotto/models/leader/non_private_leader.h"
#include "sotto/models/leader/private_leader.h"

namespace sotto {
namespace {

// Mistakes as a fraction of the rounds above and below which the plan is
// hopeless or comfortable.
constexpr double kHopeless = 0.2;
constexpr double kComfortable = 0.02;

Status Prepare(const Settings& settings, ReaderParams& request) {
  constexpr int kHashBits = 8;
  FillEncoding(
      {.each_costs = true,
       .features = static_cast<std::uint32_t>(settings.GetInt("features")),
       .vw_hash_bits = kHashBits},
      settings, request);
  request.encoding.clamp = true;
  const FitEntry* fit = FindFit(settings.Text("learner"));
  if (fit == nullptr || fit->prepare == nullptr) return Ok();
  return fit->prepare(settings, request);
}

// One question is seldom enough for a table of several columns.
Status Suit(const InputSpec& inputs, const Settings& facts,
            Settings& settings) {
  const bool moves =
      FindOption(facts.table(), "drift") != nullptr && facts.SetByUser("drift");
  if (moves && !settings.SetByUser("drift")) {
    SOTTO_TRY(settings.Set("drift", "auto"));
  }
  const std::size_t columns =
      inputs.schema ? inputs.schema->fields() : inputs.features;
  if (columns < 2 || settings.SetByUser("learner")) return Ok();
  return settings.Set("learner", "tree");
}

Json LeaderParameters(const PrivateLeader& leader, std::string_view fit) {
  return Json::Object{{"learner", fit},
                      {"first_epoch", leader.epochs().first},
                      {"growth", leader.epochs().growth},
                      {"drift", leader.watch() == nullptr ? "none" : "auto"},
                      {"fit", leader.fit().parameters()}};
}

std::string LeaderInWords(const PrivateLeader& leader) {
  return "leader: " + leader.fit().Summary() + "; a first fit after " +
         WithCommas(leader.epochs().first) + " rounds, every next epoch " +
         Shortest(leader.epochs().growth) + " times as long" +
         (leader.watch() == nullptr ? ""
                                    : "; starts over when mistakes pile up");
}

// The leader as a session drives it. A phase lasts from one fit to the next.
struct LeaderCore {
  using Round = PrivateLeader::Round;
  static constexpr std::size_t kBatch = 256;
  static constexpr bool kReleasePerPhase = true;
  static constexpr bool kStopsAtRelease = true;

  static Result<LeaderCore> Create(const ModelRequest& request) {
    SOTTO_TRY_ASSIGN(auto params, LeaderParams(request.settings, request.inputs,
                                               request.share));
    return Make(request, PrivateLeader::Create(std::move(params)));
  }
  static Result<LeaderCore> Load(const ModelRequest& request,
                                 ByteReader& reader) {
    SOTTO_TRY_ASSIGN(auto params, LeaderParams(request.settings, request.inputs,
                                               request.share));
    return Make(request, PrivateLeader::Load(std::move(params), reader));
  }
  static Result<LeaderCore> Make(const ModelRequest& request,
                                 Result<PrivateLeader> leader);

  std::uint64_t phase() const { return leader.epoch(); }
  Result<OpenedRound<Round>> Open(FeatureView x, std::string_view, Rng& rng) {
    Round round = leader.Open(x, rng);
    const ModelAnswer answer{.prediction = Label(round.prediction)};
    return OpenedRound<Round>{answer, std::move(round)};
  }
  void PlayEmptyRound(Rng& rng) { leader.PlayEmptyRound(rng); }
  void Close(const Round& round, const Label& y) {
    leader.Close(round, y.positive());
  }
  Result<ModelAnswer> Play(FeatureView x, const std::optional<Label>& y,
                           Rng& rng) {
    const bool positive = y && y->positive();
    return ModelAnswer{.prediction =
                           Label(leader.Play(x, y ? &positive : nullptr, rng))};
  }
  Json hypothesis() const {
    FitFile published = file;
    published.hypothesis = leader.hypothesis();
    return published.ToJson();
  }
  ModelAnswer PredictPublished(FeatureView x) const {
    std::vector<std::uint32_t> codes(file.columns.size());
    file.columns.Encode(x, codes);
    return {.prediction = Label(leader.hypothesis().Predict(codes))};
  }
  void Save(ByteWriter& writer) const { leader.Save(writer); }
  Result<Round> LoadRound(ByteReader& reader) const {
    return Round::Load(leader.columns(), reader);
  }

  ModelFacts facts;
  PrivateLeader leader;
  FitFile file;  // without a hypothesis
};

Result<LeaderCore> LeaderCore::Make(const ModelRequest& request,
                                    Result<PrivateLeader> leader) {
  if (!leader) return leader.error();
  const std::string& fit = request.settings.Text("learner");
  ModelFacts facts{
      .guarantee = leader->guarantee(),
      .parameters = LeaderParameters(*leader, fit),
      .summary = LeaderInWords(*leader),
      .caveats = {"Every hypothesis is published and may be kept by anybody; a "
                  "user's own prediction is for that user alone."}};
  FitFile file{.fit = fit,
               .columns = leader->columns(),
               .labels = GetLabels(request.inputs)};
  return LeaderCore{std::move(facts), *std::move(leader), std::move(file)};
}

// From the sample bound, with failure 5 % for all fits together: how wrong the
// hypotheses are on the rows they were fitted on, beyond the best.
double MistakesBySamples(const PrivateLeader& leader, std::uint64_t horizon) {
  constexpr double kFailure = 0.05;
  constexpr double kFits = 64;
  const double one = leader.fit().RowsFor(1, kFailure / kFits);
  std::uint64_t length = leader.epochs().first;
  auto mistakes = static_cast<double>(std::min(length, horizon));
  for (std::uint64_t done = length; done < horizon; done += length) {
    const double error = std::min(1.0, one / static_cast<double>(length));
    const std::uint64_t next = leader.epochs().Next(length);
    // From there on all epochs are alike.
    length = next == length ? horizon - done : next;
    mistakes += error * static_cast<double>(std::min(length, horizon - done));
  }
  return mistakes;
}

void Judge(const Settings& settings, const PrivateLeader& leader, Plan& plan) {
  const std::uint64_t horizon = settings.GetInt("horizon");
  if (horizon == 0) return;
  const auto rounds = static_cast<double>(horizon);
  const double excess = ExpectedMistakes(leader.fit(), leader.epochs(), horizon,
                                         settings.GetDouble("label-rate"));
  plan.mistakes_expected = excess + settings.GetDouble("label-noise") * rounds;
  if (leader.fit().proves_rows()) {
    plan.more["mistakes_by_sample_bound"] = MistakesBySamples(leader, horizon);
  }
  const double share = excess / rounds;
  plan.verdict = VerdictBelow(share, kComfortable, kHopeless);
  if (*plan.verdict != Verdict::kComfortable) {
    plan.advice.push_back("about " +
                          WholeWithCommas(rounds * share / kComfortable) +
                          " rounds, or more epsilon, would be comfortable");
  }
}

Result<Plan> MakePlan(const Settings& settings, const InputSpec* inputs) {
  InputSpec few = {.features = 1, .dense = 1};
  if (settings.GetInt("features") > 0) {
    few.features = static_cast<std::uint32_t>(settings.GetInt("features"));
    few.dense = few.features;
  }
  SOTTO_TRY_ASSIGN(auto params,
                   LeaderParams(settings, inputs == nullptr ? few : *inputs,
                                {settings.GetDouble("epsilon"),
                                 settings.GetDouble("delta")}));
  SOTTO_TRY_ASSIGN(const auto leader, PrivateLeader::Create(std::move(params)));
  Plan plan{.model = LeaderInWords(leader) +
                     ". For streams that stay as they are or move slowly; no "
                     "promise for adversarial ones",
            .parameters = LeaderParameters(leader, settings.Text("learner")),
            .guarantee = leader.guarantee(),
            .presumes = ForecastAssumption::kRule};
  Judge(settings, leader, plan);
  plan.caveats.emplace_back(
      "Mistakes are expected beyond those of the best hypothesis there is, "
      "where rows are alike over time.");
  return plan;
}

}  // namespace

const OnlineModelEntry& LeaderEntry() {
  static const ModelFileFormat kFile = {
      .name = "leader", .show = ShowFit, .read = ReadFit};
  static const OnlineModelEntry kEntry = {
      .name = "leader",
      .help =
          "Readable rules, fitted privately after each epoch: thresholds, "
          "stumps, trees, lists",
      .example = "--epsilon 1 --horizon 1e5 --learner stump",
      .options = LeaderOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "no stream: rows that stay alike are expected",
      .publishes = "rules",
      .covers_absence = true,
      .prepare = Prepare,
      .choose_defaults = Suit,
      .plan = MakePlan,
      .create = OnlineModelAdapter<LeaderCore>::Create,
      .load = OnlineModelAdapter<LeaderCore>::Load,
      .plain = MakeNonPrivateLeader,
      .file = &kFile};
  return kEntry;
}

}  // namespace sotto
