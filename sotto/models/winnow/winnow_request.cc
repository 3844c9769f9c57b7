#include "sotto/models/winnow/winnow_request.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "sotto/data/streams/schema.h"

namespace sotto {
namespace {

constexpr std::string_view kExamples = "Examples";
constexpr std::string_view kSteps = "Steps";

OptionTable ExampleOptions() {
  return {{.name = "margin",
           .type = OptionType::kReal,
           .help = "Margin of the best weights in the 1-norm. Tunes accuracy. "
                   "Default: 1 / sqrt(columns).",
           .high = 1,
           .above = true,
           .group = kExamples,
           .common = true},
          {.name = "features",
           .type = OptionType::kWhole,
           .help = "Number of features. Default: from the stream.",
           .low = 1,
           .high = 0x1p24 - 1,
           .group = kExamples},
          {.name = "nonnegative",
           .type = OptionType::kFlag,
           .help = "Learn non-negative weights only; halves the weights.",
           .group = kExamples},
          {.name = "bias",
           .type = OptionType::kFlag,
           .help = "Add a constant feature.",
           .group = kExamples},
          {.name = "max-norm",
           .type = OptionType::kReal,
           .help = "Scale longer examples down to this norm. Default: no "
                   "example is longer.",
           .high = 0x1p12,
           .above = true,
           .group = kExamples},
          {.name = "max-nonzeros",
           .type = OptionType::kWhole,
           .help = "Use at most N non-zero values of a row: fewer mistakes on "
                   "sparse rows, none proved.",
           .low = 1,
           .high = 0x1p24,
           .group = kExamples},
          {.name = "clip",
           .type = OptionType::kFlag,
           .help = "No effect: values are always clamped to [-1, 1].",
           .group = kExamples}};
}

OptionTable StepOptions() {
  return {
      {.name = "aim",
       .fallback = "practical",
       .help = "practical: few mistakes; proven: the smallest proved bound.",
       .words = {"practical", "proven"},
       .group = kSteps},
      {.name = "failure",
       .type = OptionType::kReal,
       .fallback = "0.05",
       .help = "Probability with which the mistake bound may fail.",
       .low = 1e-9,
       .high = 0.999,
       .group = kSteps},
      {.name = "confidence",
       .type = OptionType::kReal,
       .help = "Fraction of the margin below which an example teaches. "
               "Default: planned.",
       .high = 0.999,
       .group = kSteps},
      {.name = "batch",
       .type = OptionType::kWhole,
       .help = "Examples per release. Default: planned.",
       .low = 1,
       .high = 0x1p40,
       .group = kSteps},
      {.name = "learning-rate",
       .type = OptionType::kReal,
       .help = "Step size of the weights' exponents. Default: planned.",
       .high = 0x1p10,
       .above = true,
       .group = kSteps},
      {.name = "published",
       .type = OptionType::kWhole,
       .help = "Publish only the N largest weights. Default: all.",
       .low = 1,
       .high = 0x1p24,
       .group = kSteps}};
}

// Options that DP-Winnow as published does not have.
constexpr std::array<std::string_view, 6> kNotInPaper = {
    "max-norm", "max-nonzeros",  "confidence",
    "batch",    "learning-rate", "published"};

bool IsPaper(const Settings& settings) {
  return settings.Text("calibration") == "paper";
}

Error NotInPaper(std::string_view name) {
  return InvalidArgument("--" + std::string(name) +
                         " is not for --calibration paper");
}

Status CheckPaper(const Settings& settings) {
  if (settings.GetInt("rounds-per-user") != 1) {
    return InvalidArgument("--calibration paper is for users of one round");
  }
  if (settings.Flag("bias")) return NotInPaper("bias");
  if (settings.Text("aim") != "practical") return NotInPaper("aim");
  if (settings.Text("relation") != "replace") return NotInPaper("relation");
  for (const std::string_view name : kNotInPaper) {
    if (settings.Has(name)) return NotInPaper(name);
  }
  return Ok();
}

std::uint32_t Small(const std::optional<std::uint64_t>& number) {
  return static_cast<std::uint32_t>(number.value_or(0));
}

template <typename Winnow>
Result<AnyWinnow> Any(Result<Winnow> made) {
  if (!made) return made.error();
  return AnyWinnow(*std::move(made));
}

}  // namespace

const OptionTable& WinnowOptions() {
  static const OptionTable kTable =
      ConcatOptions({ExampleOptions(), StepOptions()});
  return kTable;
}

Status CheckWinnow(const Settings& settings, bool has_schema) {
  if (settings.GetDouble("delta") == 0) {
    return InvalidArgument(
        "winnow needs --delta greater than 0 (try 1e-6). For delta 0 use "
        "leader");
  }
  if (settings.GetInt("horizon") == 0) {
    return InvalidArgument(
        "--horizon T is needed: about how many rounds there will be");
  }
  if (!settings.Has("margin") && (!has_schema || IsPaper(settings))) {
    return InvalidArgument(
        "--margin is needed, above 0 and at most 1: by how much the best "
        "weights with |w| = 1 tell the labels apart (or a schema, from which "
        "one is guessed)");
  }
  return IsPaper(settings) ? CheckPaper(settings) : Ok();
}

Settings WithSchema(const Settings& settings, const InputSpec* inputs) {
  Settings filled = settings;
  if (inputs == nullptr || inputs->schema == nullptr ||
      inputs->schema->fields() == 0 || IsPaper(settings)) {
    return filled;
  }
  const auto columns = static_cast<double>(inputs->schema->fields());
  // Both are in range: a schema has fewer than 2^24 columns.
  if (!settings.Has("margin")) {
    const double margin = std::max(0x1p-10, 1 / std::sqrt(columns));
    static_cast<void>(filled.SetJson("margin", margin));
  }
  if (!settings.Has("max-norm") && !settings.Has("max-nonzeros")) {
    // The bias is a feature too.
    const double length = std::sqrt(columns + (settings.Flag("bias") ? 1 : 0));
    static_cast<void>(
        filled.SetJson("max-norm", std::nextafter(length, 2 * length)));
  }
  return filled;
}

Result<std::uint32_t> WinnowFeatures(const Settings& settings,
                                     const InputSpec* inputs) {
  const std::uint32_t said = Small(settings.GetOptionalInt("features"));
  if (inputs == nullptr) {
    if (said > 0) return said;
    return InvalidArgument("--features is needed: how many there are");
  }
  if (said > 0 && said != inputs->features) {
    return InvalidArgument("--features says " + std::to_string(said) +
                           ", the stream has " +
                           std::to_string(inputs->features));
  }
  return inputs->features;
}

PrivateWinnow::Params MakeWinnowParams(const Settings& settings,
                                       std::uint32_t features,
                                       const ApproximateDp& share) {
  return {.epsilon = share.epsilon,
          .delta = share.delta,
          .relation = settings.Text("relation") == "add-remove"
                          ? Relation::kAddRemove
                          : Relation::kReplace,
          .rounds_per_user = settings.GetInt("rounds-per-user"),
          .features = features,
          .signs = !settings.Flag("nonnegative"),
          .bias = settings.Flag("bias"),
          .max_norm = settings.GetDouble("max-norm"),
          .max_nonzeros = Small(settings.GetOptionalInt("max-nonzeros")),
          .margin = settings.GetDouble("margin"),
          .horizon = settings.GetInt("horizon"),
          .failure = settings.GetDouble("failure"),
          .aim = settings.Text("aim") == "proven" ? WinnowAim::kProven
                                                  : WinnowAim::kPractical,
          .confidence = settings.GetOptionalDouble("confidence").value_or(-1),
          .batch = static_cast<std::int64_t>(settings.GetInt("batch")),
          .learning_rate = settings.GetDouble("learning-rate"),
          .published = Small(settings.GetOptionalInt("published"))};
}

DpWinnow::Params MakePaperParams(const Settings& settings,
                                 std::uint32_t features,
                                 const ApproximateDp& share) {
  return {.epsilon = share.epsilon,
          .delta = share.delta,
          .features = features,
          .signs = !settings.Flag("nonnegative"),
          .margin = settings.GetDouble("margin"),
          .horizon = settings.GetInt("horizon"),
          .failure = settings.GetDouble("failure"),
          .form = DpWinnow::Form::kPaper};
}

Result<AnyWinnow> MakeWinnow(const Settings& settings, std::uint32_t features,
                             const ApproximateDp& share) {
  if (IsPaper(settings)) {
    return Any(DpWinnow::Create(MakePaperParams(settings, features, share)));
  }
  return Any(
      PrivateWinnow::Create(MakeWinnowParams(settings, features, share)));
}

Result<AnyWinnow> LoadWinnow(const Settings& settings, std::uint32_t features,
                             const ApproximateDp& share, ByteReader& reader) {
  if (IsPaper(settings)) {
    return Any(
        DpWinnow::Load(MakePaperParams(settings, features, share), reader));
  }
  return Any(
      PrivateWinnow::Load(MakeWinnowParams(settings, features, share), reader));
}

std::uint64_t Releases(const AnyWinnow& winnow) {
  if (const auto* ours = std::get_if<PrivateWinnow>(&winnow)) {
    return ours->batches();
  }
  return static_cast<std::uint64_t>(std::get<DpWinnow>(winnow).updates());
}

const WinnowHypothesis& GetHypothesis(const AnyWinnow& winnow) {
  return std::visit(
      [](const auto& w) -> const WinnowHypothesis& { return w.hypothesis(); },
      winnow);
}

const Guarantee& GetGuarantee(const AnyWinnow& winnow) {
  return std::visit(
      [](const auto& w) -> const Guarantee& { return w.guarantee(); }, winnow);
}

}  // namespace sotto
