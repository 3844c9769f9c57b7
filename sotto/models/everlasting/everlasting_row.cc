#include "sotto/models/everlasting/everlasting_row.h"

#include <cmath>
#include <string>
#include <utility>

#include "sotto/base/plan_text.h"
#include "sotto/models/everlasting/everlasting_online_model.h"
#include "sotto/models/everlasting/everlasting_options.h"
#include "sotto/models/everlasting/everlasting_plan.h"
#include "sotto/models/everlasting/everlasting_words.h"
#include "sotto/models/pop/pop_request.h"

namespace sotto {
namespace {

Status Prepare(const Settings& settings, ExampleReader::Params& request) {
  if (Status good = CheckEverlasting(settings); !good) return good;
  return PrepareForLearner(settings, request);
}

std::string TableOf(const EverlastingPhase& first,
                    const EverlastingOutlook& foretold) {
  return PlanLine("labelled rows for these sizes",
                  WholeWithCommas(foretold.labelled)) +
         PlanLine("labelled rows needed", WholeWithCommas(foretold.enough)) +
         PlanLine("queries of the first phase", WithCommas(first.rounds)) +
         PlanLine("errors on honest queries, a guess",
                  Shortest(std::round(foretold.error * 1e6) / 1e6));
}

Json MoreOf(const EverlastingPhase& first, const EverlastingOutlook& foretold) {
  return Json::Object{{"labelled_planned", foretold.labelled},
                      {"labelled_required", foretold.enough},
                      {"phase_rounds", first.rounds},
                      {"error_expected", foretold.error}};
}

Result<LearnerSpec> SpecFor(const Settings& settings, const Inputs* inputs) {
  auto spec = PopLearner(settings.Text("learner"), inputs);
  if (!spec) return spec;
  if (Status used = CheckColumns(settings, *spec, inputs); !used) {
    return used.error();
  }
  if (FactsOf(*spec).needs_features && spec->features == 0) {
    return InvalidArgument(
        "how many features there are must be known: --learner " + spec->name +
        ":features=N");
  }
  return spec;
}

Result<Plan> PlanOf(const Settings& settings, const Inputs* inputs) {
  if (Status good = CheckEverlasting(settings); !good) return good.error();
  const auto spec = SpecFor(settings, inputs);
  if (!spec) return spec.error();
  const auto asked = EverlastingRequestOf(
      settings, *spec, {settings.Real("epsilon"), settings.Real("delta")});
  if (!asked) return asked.error();
  const auto params = PlanEverlasting(*asked);
  if (!params) return params.error();
  auto schedule = EverlastingSchedule::Create(*params);
  if (!schedule) return schedule.error();
  const auto first = schedule->At(0);
  if (!first) return first.error();
  auto foretold = ForetellEverlasting(settings, *spec, *params, *first);
  if (!foretold) return foretold.error();
  Plan plan{.model = EverlastingInWords(*spec, *first),
            .parameters = EverlastingParameters(*spec, *params, *first),
            .guarantee = schedule->guarantee(),
            .presumes = Presumes::kRule,
            .verdict = foretold->verdict,
            .advice = foretold->advice,
            .more = MoreOf(*first, *foretold),
            .table = TableOf(*first, *foretold)};
  // Of a labelled set that nobody has, nothing is expected.
  if (settings.MaybeWhole("training-rows") && settings.Whole("horizon") > 0) {
    plan.mistakes_expected =
        static_cast<double>(settings.Whole("horizon")) *
        (foretold->error + settings.MaybeReal("noise").value_or(0));
  }
  plan.caveats.emplace_back(
      "The errors expected are a guess for the first phases: each phase learns "
      "from the answers of the one before, and what it gets wrong is handed "
      "on.");
  return plan;
}

Result<AnyLearner> PlainOf(const ModelRequest& request) {
  const auto spec =
      PopLearner(request.settings.Text("learner"), &request.inputs);
  if (!spec) return spec.error();
  return MakeLearner(*spec);
}

}  // namespace

const OnlineRow& EverlastingRow() {
  static const OnlineRow kRow = {
      .name = "everlasting",
      .help =
          "answers queries for ever from one labelled set: teachers vote, and "
          "what they answer clearly teaches the next ones",
      .example =
          "--epsilon 3 --delta 1e-5 --learner threshold --training-rows 1e6",
      .options = EverlastingOptions(),
      .labels = {LabelType::Kind::kTwo},
      .promise =
          "no stream: queries like the labelled rows are expected, "
          "others beside them do little harm",
      .publishes = "nothing",
      .trains = true,
      .prepare = Prepare,
      .plan = PlanOf,
      .create = EverlastingOnlineModel::Create,
      .load = EverlastingOnlineModel::Load,
      .plain = PlainOf};
  return kRow;
}

}  // namespace sotto
