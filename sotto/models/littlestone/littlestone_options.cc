#include "sotto/models/littlestone/littlestone_options.h"

#include <memory>
#include <utility>

#include "sotto/learners/classes/class_file.h"
#include "sotto/models/littlestone/finite_class_plan.h"
#include "sotto/models/papers/dp_online_plan.h"

namespace sotto {

namespace {

constexpr std::string_view kTeaching =
    "By hand, of teachers (left out: chosen)";

}  // namespace

Option TeachersOption() {
  return {.name = "teachers",
          .type = OptionType::kWhole,
          .help = "Number of teachers that share rows or mistakes.",
          .low = 1,
          .high = 0x1p20,
          .group = kTeaching};
}

Option POption() {
  return {
      .name = "p",
      .type = OptionType::kWhole,
      .help = "The p of the decompositions; stage j uses 2^j times as much.",
      .low = 1,
      .high = 0x1p20,
      .group = kTeaching};
}

Option StagesOption() {
  return {.name = "stages",
          .type = OptionType::kWhole,
          .help = "Maximum number of stages in which teachers disagree.",
          .low = 1,
          .high = 21,
          .group = kTeaching};
}

Option ListsOption() {
  return {.name = "lists",
          .fallback = "auto",
          .help =
              "Hypotheses of a teacher: the essential ones, or those of one "
              "greedy tree (nothing proved). auto: greedy for large classes "
              "other than points:N.",
          .words = {"auto", "exact", "greedy"},
          .group = kTeaching};
}

std::optional<TeacherLists::Form> ListsForm(const Settings& settings) {
  const std::string word = settings.Text("lists");
  if (word == "auto") return std::nullopt;
  return word == "greedy" ? TeacherLists::Form::kGreedy
                          : TeacherLists::Form::kExact;
}

Option ClassOption() {
  return {.name = "class",
          .help =
              "points:N, thresholds:N, intervals:N or another name of `sotto "
              "ldim --help`, or a file with one function per line.",
          .group = "Learning",
          .common = true,
          .required = true};
}

const OptionTable& LittlestoneOptions() {
  static const OptionTable kTable = {
      ClassOption(),
      {.name = "adversary",
       .fallback = "adaptive",
       .help = "oblivious: whoever makes the stream cannot see what is "
               "published. Accuracy only; privacy holds against both.",
       .words = {"adaptive", "oblivious"},
       .group = "Learning"},
      {.name = "votes",
       .type = OptionType::kWhole,
       .help = "Functions drawn at each change; an odd number.",
       .low = 1,
       .high = 255,
       .group = "By hand (left out: chosen)"},
      {.name = "changes",
       .type = OptionType::kWhole,
       .help = "Maximum number of changes of the hypothesis.",
       .low = 1,
       .high = 4096,
       .group = "By hand (left out: chosen)"},
      {.name = "limit",
       .type = OptionType::kWhole,
       .help = "Approximate number of mistakes before a change.",
       .low = 1,
       .high = 0x1p30,
       .group = "By hand (left out: chosen)"},
      {.name = "period",
       .type = OptionType::kWhole,
       .help = "Rounds between two tests of the mistakes.",
       .low = 1,
       .high = 0x1p30,
       .group = "By hand (left out: chosen)"},
      {.name = "stopper",
       .type = OptionType::kReal,
       .help = "Epsilon of the test of mistakes. Not with --calibration paper.",
       .above = true,
       .group = "By hand (left out: chosen)"},
      {.name = "constants",
       .fallback = "least",
       .help = "With --calibration paper: the smallest numbers that keep the "
               "guarantee, or the printed ones.",
       .words = {"least", "printed"},
       .group = "Learning"},
      {.name = "constant",
       .type = OptionType::kReal,
       .fallback = "4",
       .help = "With --constants printed: the C of the paper, in its calls and "
               "its mistakes before a call.",
       .low = 1e-3,
       .high = 1e3,
       .group = "Learning"},
      TeachersOption(),
      POption(),
      StagesOption(),
      ListsOption()};
  return kTable;
}

namespace {

// Options of both learners.
struct Common {
  std::shared_ptr<const FiniteClass> functions = nullptr;
  Relation relation = Relation::kReplace;
  Adversary adversary = Adversary::kAdaptive;
};

Result<Common> MakeCommon(const Settings& settings) {
  if (!settings.Has("class")) {
    return InvalidArgument("littlestone needs --class");
  }
  SOTTO_TRY_ASSIGN(auto functions, ReadClass(settings.Text("class")));
  SOTTO_TRY_ASSIGN(const auto relation,
                   ParseRelation(settings.Text("relation")));
  SOTTO_TRY_ASSIGN(const auto adversary,
                   ParseAdversary(settings.Text("adversary")));
  return Common{std::make_shared<const FiniteClass>(std::move(functions)),
                relation, adversary};
}

}  // namespace

bool IsPaper(const Settings& settings) {
  return settings.Text("calibration") == "paper";
}

bool IsPrinted(const Settings& settings) {
  return settings.Text("constants") == "printed";
}

namespace {

// A state sets every option, most of them to their defaults.
bool HasConstant(const Settings& settings) {
  constexpr double kDefault = 4;
  return settings.GetDouble("constant") != kDefault;
}

Status CheckConstants(const Settings& settings) {
  if (IsPaper(settings)) {
    if (settings.Has("stopper")) {
      return InvalidArgument("--stopper is for --calibration practical");
    }
    if (HasConstant(settings) && !IsPrinted(settings)) {
      return InvalidArgument("--constant is for --constants printed");
    }
    return Ok();
  }
  if (IsPrinted(settings) || HasConstant(settings)) {
    return InvalidArgument(
        "--constants and --constant are for --calibration paper");
  }
  return Ok();
}

}  // namespace

Result<FiniteClassLearner::Params> LittlestoneParams(
    const Settings& settings, const ApproximateDp& share) {
  SOTTO_TRY(CheckConstants(settings));
  SOTTO_TRY_ASSIGN(const auto common, MakeCommon(settings));
  FiniteClassOptions options{
      .functions = common.functions,
      .user = share,
      .relation = common.relation,
      .rounds_per_user = settings.GetInt("rounds-per-user"),
      .delay = settings.GetInt("label-delay"),
      .horizon = settings.GetInt("horizon"),
      .adversary = common.adversary,
      .votes = settings.GetOptionalInt("votes"),
      .changes = settings.GetOptionalInt("changes"),
      .stopper = settings.GetOptionalDouble("stopper"),
      .period = settings.GetOptionalInt("period")};
  if (settings.Has("limit")) {
    options.limit = static_cast<std::int64_t>(settings.GetInt("limit"));
  }
  return ChooseFiniteClass(options);
}

Result<DpOnlineLearner::Params> DpOnlineParams(const Settings& settings,
                                               const ApproximateDp& share) {
  return DpOnlineParams(settings, share, IsPrinted(settings));
}

Result<DpOnlineLearner::Params> DpOnlineParams(const Settings& settings,
                                               const ApproximateDp& share,
                                               bool printed) {
  SOTTO_TRY(CheckConstants(settings));
  SOTTO_TRY_ASSIGN(const auto common, MakeCommon(settings));
  DpOnlineOptions options{.functions = common.functions,
                          .user = share,
                          .relation = common.relation,
                          .rounds_per_user = settings.GetInt("rounds-per-user"),
                          .delay = settings.GetInt("label-delay"),
                          .horizon = settings.GetInt("horizon"),
                          .adversary = common.adversary,
                          .printed = printed,
                          .constant = settings.GetDouble("constant"),
                          .form = ListsForm(settings),
                          .teachers = settings.GetOptionalInt("teachers"),
                          .p = settings.GetOptionalInt("p"),
                          .stages = settings.GetOptionalInt("stages"),
                          .calls = settings.GetOptionalInt("changes"),
                          .votes = settings.GetOptionalInt("votes"),
                          .period = settings.GetOptionalInt("period")};
  if (settings.Has("limit")) {
    options.limit = static_cast<std::int64_t>(settings.GetInt("limit"));
  }
  return ChooseDpOnline(options);
}

Result<FitColumns> LittlestoneColumns(const FiniteClass& functions,
                                      const InputSpec& inputs) {
  if (inputs.schema) {
    return InvalidArgument(
        "points are whole numbers, taken as they are: leave --schema out");
  }
  return FitColumns(
      {{.name = inputs.names.empty() ? "x" : inputs.names.front(),
        .kind = FitColumn::Kind::kPoint,
        .points = static_cast<std::uint32_t>(functions.points())}});
}

}  // namespace sotto
