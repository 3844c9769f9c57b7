#pragma once

#include <cstdint>
#include <variant>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/models/winnow/dp_winnow.h"
#include "sotto/models/winnow/private_winnow.h"
#include "sotto/online/model_entry.h"

namespace sotto {

// Ours, or with --calibration paper the published form.
using AnyWinnow = std::variant<PrivateWinnow, DpWinnow>;

// Options of winnow, beside those of all models.
const OptionTable& WinnowOptions();

// Checks options that are right one by one and may contradict each other. A
// schema stands for a margin. Fails with kInvalidArgument.
Status CheckWinnow(const Settings& settings, bool has_schema);

// The settings with what follows from the schema where nothing was said: each
// column is at most one feature of magnitude 1, so that c of them are no longer
// than sqrt(c); and a margin of 1 / sqrt(c), a judgement, no fact: that of a
// rule in which about sqrt(c) columns have a say.
Settings WithSchema(const Settings& settings, const InputSpec* inputs);

// Returns the number of features. Fails with kInvalidArgument if it is unknown,
// or --features differs from the stream.
Result<std::uint32_t> WinnowFeatures(const Settings& settings,
                                     const InputSpec* inputs);

// Requires --calibration practical, and paper.
PrivateWinnow::Params MakeWinnowParams(const Settings& settings,
                                       std::uint32_t features,
                                       const ApproximateDp& share);
DpWinnow::Params MakePaperParams(const Settings& settings,
                                 std::uint32_t features,
                                 const ApproximateDp& share);

// The model that is meant. Fail as its Create and Load.
Result<AnyWinnow> MakeWinnow(const Settings& settings, std::uint32_t features,
                             const ApproximateDp& share);
Result<AnyWinnow> LoadWinnow(const Settings& settings, std::uint32_t features,
                             const ApproximateDp& share, ByteReader& reader);

// How many hypotheses it has published after the first.
std::uint64_t Releases(const AnyWinnow& winnow);
const WinnowHypothesis& GetHypothesis(const AnyWinnow& winnow);
const Guarantee& GetGuarantee(const AnyWinnow& winnow);

}  // namespace sotto
