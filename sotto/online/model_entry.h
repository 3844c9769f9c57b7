#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/label.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/online/non_private.h"
#include "sotto/online/online_model.h"
#include "sotto/online/plan.h"

namespace sotto {

struct ReaderParams;  // data/streams/example_reader.h
struct Schema;        // data/streams/schema.h

// The public facts about a stream or table that a model is made for.
struct InputSpec {
  std::uint32_t features = 0;  // every index is below this
  std::uint32_t dense = 0;     // indices below it are not hash buckets
  std::shared_ptr<const Schema> schema = nullptr;  // may be absent
  LabelType label = {};
  // Names of the features, if they have names and are few enough to list.
  std::vector<std::string> names = {};
  // Fingerprint of the encoding: two encodings have different ones.
  std::string print = {};
};

// Arguments of OnlineModelEntry::create and load.
struct ModelRequest {
  const Settings& settings;
  const InputSpec& inputs;
  ApproximateDp share;  // the model's part of epsilon and delta
};

struct ModelFileFormat;

// One online model of the registry: everything that depends on which model it
// is.
struct OnlineModelEntry {
  std::string_view name;
  std::string_view help;  // one line
  // Options of a command that works, but for those that name the data.
  std::string_view example;
  // The model's own options; Session::Options adds those all models share.
  OptionTable options;
  std::vector<LabelType::Kind> labels;  // that it accepts
  // In a few words: the streams for which a mistake bound is proved, and what
  // the model publishes.
  std::string_view promise;
  std::string_view publishes;
  // The model starts from a training set (--train). Labels of the stream are
  // then for the operator alone, unless the model says otherwise.
  bool needs_training_set = false;
  // Binary and class labels: each prediction comes with a probability.
  bool probabilities = false;
  // The model's page proves its guarantee for a user whose rounds and labels
  // are there in one world and nothing in the other, at times that an adversary
  // chooses: all that the clock `slots` needs (sotto/service/slots.md).
  bool covers_absence = false;
  // Version of the model's behaviour. Changes whenever the same key and the
  // same rounds give other predictions, so that no journal is replayed by code
  // that answers differently.
  std::uint32_t semantics = 1;

  // Checks options that depend on each other, and sets how rows are read.
  // `request` has the user's flags about the stream; the model fills in what it
  // needs otherwise. Fails with kInvalidArgument.
  Status (*prepare)(const Settings& settings, ReaderParams& request);
  // Chooses unset options for a stream, for `run auto`. `facts` has all that
  // the user set. May be null. Fails with kInvalidArgument.
  Status (*choose_defaults)(const InputSpec& inputs, const Settings& facts,
                            Settings& settings) = nullptr;
  // `inputs` is null while no stream is known.
  Result<Plan> (*plan)(const Settings& settings, const InputSpec* inputs);
  // Both fail with kInvalidArgument, kBudgetExhausted or kNotConverged for a
  // request that cannot be met, kUnavailable for a program that does not start.
  // `load` also fails with kCorruption or kFailedPrecondition; it leaves
  // `reader` after the last byte that OnlineModel::Save wrote. Functions, not
  // pointers: an entry made at run time holds the caller's own learner.
  std::function<Result<std::unique_ptr<OnlineModel>>(
      const ModelRequest& request)>
      create;
  std::function<Result<std::unique_ptr<OnlineModel>>(
      const ModelRequest& request, ByteReader& reader)>
      load;
  // Makes the non-private learner of --compare. May be null.
  Result<std::unique_ptr<NonPrivateLearner>> (*plain)(
      const ModelRequest& request) = nullptr;
  // Format of the hypotheses it publishes; null if it publishes none.
  const ModelFileFormat* file = nullptr;
};

}  // namespace sotto
