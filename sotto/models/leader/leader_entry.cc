#include "sotto/models/leader/leader_entry.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "sotto/base/number_text.h"
#include "sotto/data/streams/feature_needs.h"
#include "sotto/models/fits/fit_table.h"
#include "sotto/models/fits/published_fit.h"
#include "sotto/models/leader/leader_online_model.h"
#include "sotto/models/leader/leader_options.h"

namespace sotto {
namespace {

// Of the rounds: above and below which the plan is hopeless or comfortable.
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
      inputs.schema ? inputs.schema->columns.size() : inputs.features;
  if (columns < 2 || settings.SetByUser("learner")) return Ok();
  return settings.Set("learner", "tree");
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
  plan.mistakes_expected = excess + settings.GetDouble("noise") * rounds;
  if (leader.fit().proves_rows()) {
    plan.more["mistakes_by_sample_bound"] = MistakesBySamples(leader, horizon);
  }
  const double share = excess / rounds;
  plan.verdict = share > kHopeless      ? Verdict::kHopeless
                 : share > kComfortable ? Verdict::kTight
                                        : Verdict::kComfortable;
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
  static const OnlineModelEntry kRow = {
      .name = "leader",
      .help =
          "a private fit after every epoch answers the next one, and is "
          "published: thresholds, stumps, trees, lists",
      .example = "--epsilon 1 --horizon 1e5 --learner stump",
      .options = LeaderOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise = "no stream: rows that stay alike are expected",
      .publishes = "rules",
      .prepare = Prepare,
      .choose_defaults = Suit,
      .plan = MakePlan,
      .create = LeaderOnlineModel::Create,
      .load = LeaderOnlineModel::Load};
  return kRow;
}

const std::vector<const ModelFileFormat*>& PublishedFits() {
  static const std::vector<ModelFileFormat> kOwned = [] {
    std::vector<ModelFileFormat> rows = {
        {.name = "leader", .show = ShowFit, .predict = PredictWithFit}};
    for (const BatchModelEntry* fit : FitBatchRows()) {
      rows.push_back(
          {.name = fit->name, .show = ShowFit, .predict = PredictWithFit});
    }
    return rows;
  }();
  static const std::vector<const ModelFileFormat*> kRows = [] {
    std::vector<const ModelFileFormat*> rows;
    rows.reserve(kOwned.size());
    for (const ModelFileFormat& entry : kOwned) rows.push_back(&entry);
    return rows;
  }();
  return kRows;
}

}  // namespace sotto
