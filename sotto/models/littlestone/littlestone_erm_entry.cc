#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/accounting/group_privacy.h"
#include "sotto/base/number_text.h"
#include "sotto/learners/classes/class_file.h"
#include "sotto/learners/classes/paper_learners.h"
#include "sotto/models/adapter/entries.h"
#include "sotto/models/batch/batch_model_entry.h"
#include "sotto/models/fits/finite_fit.h"
#include "sotto/models/fits/fit_table.h"
#include "sotto/models/fits/published_fit.h"
#include "sotto/models/littlestone/littlestone_options.h"
#include "sotto/models/papers/littlestone_erm_plan.h"

namespace sotto {
namespace {

constexpr double kFailure = 0.05;

Result<ErmOptions> MakeErmOptions(const Settings& settings,
                                  const FitBudget& budget) {
  if (!settings.Has("class")) {
    return InvalidArgument("littlestone-erm needs --class");
  }
  SOTTO_TRY_ASSIGN(auto functions, ReadClass(settings.Text("class")));
  return ErmOptions{
      .functions = std::make_shared<const FiniteClass>(std::move(functions)),
      .budget = budget,
      .paper = settings.Text("calibration") == "paper",
      .error = settings.GetDouble("error"),
      .proper = settings.Flag("proper"),
      .form = ListsForm(settings),
      .teachers = settings.GetOptionalInt("teachers"),
      .p = settings.GetOptionalInt("p"),
      .stages = settings.GetOptionalInt("stages"),
      .tolerance = settings.GetOptionalDouble("tolerance"),
      .list_size = settings.GetOptionalInt("list-size")};
}

Result<FitColumns> MakeColumns(const Settings& settings,
                               const InputSpec& inputs) {
  SOTTO_TRY_ASSIGN(const auto functions, ReadClass(settings.Text("class")));
  return LittlestoneColumns(functions, inputs);
}

Result<std::unique_ptr<LittlestoneErm>> MakeErm(const Settings& settings,
                                                const FitBudget& budget) {
  SOTTO_TRY_ASSIGN(const auto options, MakeErmOptions(settings, budget));
  SOTTO_TRY_ASSIGN(auto params, ChooseErm(options));
  return LittlestoneErm::Create(std::move(params));
}

Result<std::unique_ptr<PrivateFit>> Make(const Settings& settings,
                                         const FitColumns&,
                                         const FitBudget& budget) {
  SOTTO_TRY_ASSIGN(auto erm, MakeErm(settings, budget));
  return std::unique_ptr<PrivateFit>(std::move(erm));
}

const OptionTable& Options() {
  static const OptionTable kTable = {
      ClassOption(),
      {.name = "error",
       .type = OptionType::kReal,
       .fallback = "0.1",
       .help = "Error rate to plan for; with --calibration paper also the "
               "teachers' tolerance.",
       .high = 0.999,
       .above = true,
       .group = "Learning"},
      {.name = "proper",
       .type = OptionType::kFlag,
       .help = "Publish a function of the class, for a quarter of epsilon. "
               "Without: any function on the points.",
       .group = "Learning"},
      TeachersOption(),
      POption(),
      StagesOption(),
      ListsOption(),
      {.name = "tolerance",
       .type = OptionType::kReal,
       .help = "Fraction of a teacher's rows on which its functions may be "
               "wrong; less in later stages.",
       .high = 0.999,
       .group = "By hand, of teachers (left out: chosen)"},
      {.name = "list-size",
       .type = OptionType::kWhole,
       .help =
           "Maximum number of hypotheses per teacher; longer lists are cut.",
       .low = 1,
       .high = 0x1p20,
       .group = "By hand, of teachers (left out: chosen)"}};
  return kTable;
}

const FitEntry& Entry() {
  static const FitEntry kEntry = {
      .name = "littlestone-erm",
      .help =
          "The Littlestone paper's batch learner, for comparison; `finite` "
          "needs fewer rows",
      .example = "--epsilon 1 --delta 1e-6 --class thresholds:15",
      .options = Options(),
      .columns = MakeColumns,
      .create = Make,
      .prepare = TakePoints};
  return kEntry;
}

// Rows that other mechanisms need for the same: the exponential mechanism, and
// the paper's own numbers.
struct Others {
  double finite = 0;
  PaperErm paper = {};
};

Result<Others> OthersFor(const LittlestoneErm& erm, double error) {
  const FitBudget& budget = erm.params().budget;
  SOTTO_TRY_ASSIGN(const auto finite,
                   FiniteFit::Create(erm.params().functions, budget));
  SOTTO_TRY_ASSIGN(const auto each,
                   PerRoundTarget(budget.user, budget.rounds_per_user));
  return Others{finite->RowsFor(error, kFailure),
                PaperErmFor(erm.params().dimension, error, kFailure,
                            each.epsilon, each.delta)};
}

// Number of rows as text, rounded up to two digits if it is too large to be
// realistic.
std::string Rows(double rows) {
  if (!std::isfinite(rows)) return "no number of rows suffices";
  if (rows < 1e9) return WholeWithCommas(std::ceil(rows));
  const double unit = std::pow(10, std::floor(std::log10(rows)) - 1);
  return Shortest(std::ceil(rows / unit) * unit);
}

// The logarithm of the class for which the exponential mechanism needs as many.
double LogSizeFor(const LittlestoneErm& erm, double finite, double required) {
  const auto size = static_cast<double>(erm.params().functions->size());
  return required / finite * std::log(size / kFailure) + std::log(kFailure);
}

void Compare(const LittlestoneErm& erm, const Others& others, Plan& plan) {
  plan.more["samples_finite"] = others.finite;
  plan.more["paper"] = Json::Object{{"rows", others.paper.rows},
                                    {"teachers", others.paper.teachers},
                                    {"chunk", others.paper.chunk}};
  plan.table += PlanLine("finite needs", Rows(others.finite) +
                                             " rows (exponential mechanism, "
                                             "proved for any rows)") +
                PlanLine("the paper's proof",
                         Rows(others.paper.rows) + " rows, " +
                             Rows(others.paper.teachers) + " teachers");
  if (!plan.samples_required) return;
  const double required = *plan.samples_required;
  if (required <= others.finite) {
    plan.advice.emplace_back("Needs no more rows than `sotto fit finite`.");
    return;
  }
  std::string why =
      "`sotto fit finite` needs fewer rows, for any rows and without delta. ";
  if (!std::isfinite(required)) {
    why += "So few teachers get no function drawn.";
  } else if (erm.proves_rows()) {
    why +=
        "Teachers list all functions they keep, so that both pay for the "
        "logarithm of the class, and teachers for ln(1/delta) besides: no "
        "class turns the tables.";
  } else {
    const double log_size = LogSizeFor(erm, others.finite, required);
    why += "It would take a class of about e^" + Rows(log_size) +
           " functions to turn the tables.";
  }
  plan.advice.push_back(std::move(why));
}

// The paper's rows are for the paper's numbers.
bool IsPaperAlone(const Settings& settings, const LittlestoneErm& erm) {
  if (settings.Text("calibration") != "paper") return false;
  if (erm.params().form == TeacherLists::Form::kGreedy) return false;
  return std::ranges::none_of(
      std::array{"teachers", "p", "stages", "tolerance", "list-size"},
      [&](const char* name) { return settings.Has(name); });
}

// Nothing where no number of rows is proved, by us or by the paper; infinite
// where teachers are too few to get anything drawn.
std::optional<double> RowsRequired(const Settings& settings,
                                   const LittlestoneErm& erm,
                                   const Others& others) {
  const auto teachers = static_cast<std::int64_t>(erm.params().teachers);
  if (erm.sample().ScoreFor(kFailure) > teachers) {
    return std::numeric_limits<double>::infinity();
  }
  if (erm.proves_rows())
    return erm.RowsFor(settings.GetDouble("error"), kFailure);
  if (IsPaperAlone(settings, erm)) return others.paper.rows;
  return std::nullopt;
}

std::string_view MakeCaveat(const LittlestoneErm& erm, const Plan& plan) {
  if (!plan.samples_required) {
    return "No number of rows is proved for parameters by hand: privacy does "
           "not depend on them, learning does.";
  }
  if (!std::isfinite(*plan.samples_required)) {
    return "So few teachers hardly ever get a function drawn, even if all "
           "agree: no number of rows suffices.";
  }
  return erm.proves_rows()
             ? "samples_required is proved, for an error on the rows "
               "themselves, where a function of the class is right on all of "
               "them."
             : "samples_required is the paper's, its hidden constants taken "
               "as in docs/papers.md, where a function of the class is right "
               "on all rows; nothing is proved of fewer.";
}

// Without a number of rows there is nothing to say of those there will be.
std::optional<Verdict> ChooseVerdict(const Settings& settings,
                                     const Plan& plan) {
  if (!plan.samples_required) return std::nullopt;
  const double required = *plan.samples_required;
  if (!std::isfinite(required)) return Verdict::kHopeless;
  const auto rows = settings.GetOptionalInt("rows");
  if (!rows) return std::nullopt;
  return VerdictAbove(static_cast<double>(*rows), required, required / 4);
}

Result<Plan> MakePlan(const Settings& settings) {
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  const FitBudget budget{
      .user = {settings.GetDouble("epsilon"), settings.GetDouble("delta")},
      .relation = relation,
      .rounds_per_user = settings.GetInt("rounds-per-user")};
  SOTTO_TRY_ASSIGN(const auto made, MakeErm(settings, budget));
  const LittlestoneErm& erm = *made;
  SOTTO_TRY_ASSIGN(const auto others,
                   OthersFor(erm, settings.GetDouble("error")));
  SOTTO_TRY_ASSIGN(auto guarantee, FitGuarantee(erm, budget));
  Plan plan{.model = "littlestone-erm: " + erm.Summary(),
            .parameters = erm.parameters(),
            .guarantee = std::move(guarantee),
            .samples_required = RowsRequired(settings, erm, others)};
  plan.verdict = ChooseVerdict(settings, plan);
  Compare(erm, others, plan);
  plan.caveats.emplace_back(MakeCaveat(erm, plan));
  return plan;
}

}  // namespace

const BatchModelEntry& LittlestoneErmEntry() {
  static const ModelFileFormat kFile = {
      .name = "littlestone-erm", .show = ShowFit, .read = ReadFit};
  static const BatchModelEntry kEntry = [] {
    BatchModelEntry entry = MakeBatchEntry<Entry>("a function", kFile);
    entry.plan = MakePlan;
    entry.plan_options = {{.name = "rows",
                           .type = OptionType::kWhole,
                           .help = "Number of rows to plan for."}};
    return entry;
  }();
  return kEntry;
}

}  // namespace sotto
