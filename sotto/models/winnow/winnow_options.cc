#include "sotto/models/winnow/winnow_options.h"

#include <string_view>

namespace sotto {
namespace {

constexpr std::string_view kExamples = "Examples";
constexpr std::string_view kSteps = "Steps";

OptionTable ExampleOptions() {
  return {{.name = "margin",
           .type = OptionType::kReal,
           .help = "of the best weights, |w| = 1 in the 1-norm: y <w, x> is "
                   "never less; for mistakes only, privacy needs none; left "
                   "out: 1 / sqrt(columns of the schema)",
           .high = 1,
           .above = true,
           .group = kExamples},
          {.name = "features",
           .type = OptionType::kWhole,
           .help = "how many there are; left out: as many as the stream says",
           .low = 1,
           .high = 0x1p24 - 1,
           .group = kExamples},
          {.name = "nonnegative",
           .type = OptionType::kFlag,
           .help = "no weight is negative; half as many to learn",
           .group = kExamples},
          {.name = "bias",
           .type = OptionType::kFlag,
           .help = "one more feature, always 1",
           .group = kExamples},
          {.name = "max-norm",
           .type = OptionType::kReal,
           .help = "longer examples are scaled down; left out: none is longer "
                   "(with a schema than the root of its columns)",
           .high = 0x1p12,
           .above = true,
           .group = kExamples},
          {.name = "max-nonzeros",
           .type = OptionType::kWhole,
           .help = "further ones of an example are left out; say so if "
                   "examples are sparse: far fewer mistakes, but none proved",
           .low = 1,
           .high = 0x1p24,
           .group = kExamples},
          {.name = "clip",
           .type = OptionType::kFlag,
           .help = "move values outside of [-1, 1] to the nearer end, instead "
                   "of refusing the row",
           .group = kExamples}};
}

OptionTable StepOptions() {
  return {{.name = "aim",
           .fallback = "practical",
           .help = "practical: few mistakes; proven: the least proved bound",
           .words = {"practical", "proven"},
           .group = kSteps},
          {.name = "failure",
           .type = OptionType::kReal,
           .fallback = "0.05",
           .help = "the probability with which the bound may fail",
           .low = 1e-9,
           .high = 0.999,
           .group = kSteps},
          {.name = "confidence",
           .type = OptionType::kReal,
           .help = "share of the margin below which an example teaches; left "
                   "out: planned",
           .high = 0.999,
           .group = kSteps},
          {.name = "batch",
           .type = OptionType::kWhole,
           .help = "examples of a release; left out: planned",
           .low = 1,
           .high = 0x1p40,
           .group = kSteps},
          {.name = "learning-rate",
           .type = OptionType::kReal,
           .help = "of the exponents of the weights; left out: planned",
           .high = 0x1p10,
           .above = true,
           .group = kSteps},
          {.name = "published",
           .type = OptionType::kWhole,
           .help = "only so many of the largest weights; left out: all",
           .low = 1,
           .high = 0x1p24,
           .group = kSteps}};
}

}  // namespace

const OptionTable& WinnowOptions() {
  static const OptionTable kTable =
      ConcatOptions({ExampleOptions(), StepOptions()});
  return kTable;
}

}  // namespace sotto
