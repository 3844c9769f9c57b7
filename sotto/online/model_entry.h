#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/base/bytes.h"
#include "sotto/base/json.h"
#include "sotto/base/label.h"
#include "sotto/base/option.h"
#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/base/settings.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/learners/learner.h"
#include "sotto/online/online_model.h"
#include "sotto/online/verdict.h"
#include "sotto/random/key.h"

namespace sotto {

// What a plan's expectation rests on: nothing; that some rule of the model's
// kind is hardly ever wrong, which few real streams have; or even that it tells
// labels apart by a margin that nobody knows.
enum class ForecastAssumption : std::uint8_t { kNothing, kRule, kMargin };

// What a plan says, before any data is touched.
struct Plan {
  std::string model;  // in a line
  Json parameters;
  Guarantee guarantee;
  std::optional<double> mistakes_expected = {};
  std::optional<double> mistakes_bound = {};
  // What learning and privacy add to the share of rounds that the best rule
  // gets wrong, where that share cannot be foreseen.
  std::optional<double> excess_expected = {};
  // What the expectation presumes of the stream.
  ForecastAssumption presumes = ForecastAssumption::kNothing;
  // Of models that fit a table: rows.
  std::optional<double> samples_required = {};
  std::optional<Verdict> verdict = {};    // absent: not enough was said
  std::vector<std::string> advice = {};   // what would change the verdict
  std::vector<std::string> caveats = {};  // what cannot be foreseen
  Json more = Json::Object{};             // further members of the JSON report
  std::string table = {};                 // further lines for people
  double horizon = 0;                     // rounds that it is for; 0: not said
  // From the model's row: of which streams it is proved how often it errs, and
  // what anybody may see of what was learned.
  std::string_view promise = {};
  std::string_view publishes = {};
};

// The public facts about a stream or table that a model is made for.
struct InputSpec {
  std::uint32_t features = 0;  // every index is below this
  std::uint32_t dense = 0;     // indices that are numbers of their own
  std::shared_ptr<const Schema> schema = nullptr;  // may be absent
  LabelType label = {};
  // Of each feature, where they have names and are few enough to list.
  std::vector<std::string> names = {};
  // Tells two encodings apart.
  std::string print = {};
};

// What a model is made of.
struct ModelRequest {
  const Settings& settings;
  const InputSpec& inputs;
  ApproximateDp share;  // the model's part of epsilon and delta
};

// One online model. Everything that depends on which model it is, is in here.
struct OnlineModelEntry {
  std::string_view name;
  std::string_view help;  // one line
  // Options of a command that works, as they are written; where the data are
  // comes on top.
  std::string_view example;
  // Beside those that all models share (shared_options.h).
  OptionTable options;
  std::vector<LabelType::Kind> labels;  // that it takes
  // In a few words: for which streams something is promised of its mistakes,
  // and what it publishes of what it learned.
  std::string_view promise;
  std::string_view publishes;
  // It starts from a labelled set (--train); what labels the stream has are
  // then for the operator alone, unless it says otherwise.
  bool needs_training_set = false;
  // Of labels that are no numbers it says with every answer how likely it is.
  bool probabilities = false;

  // Checks what options say together, and tells how rows must be read.
  // `request` has the user's flags about the stream; what the model must have
  // otherwise is filled in. Fails with kInvalidArgument.
  Status (*prepare)(const Settings& settings, ExampleReader::Params& request);
  // Chooses what suits a stream, where the user has said nothing, for whoever
  // leaves the choice to the program (`facts` is all the user said); may be
  // null. Fails with kInvalidArgument.
  Status (*choose_defaults)(const InputSpec& inputs, const Settings& facts,
                            Settings& settings) = nullptr;
  // `inputs` may be absent: no stream is known yet.
  Result<Plan> (*plan)(const Settings& settings, const InputSpec* inputs);
  // Both fail with kInvalidArgument, kBudgetExhausted or kNotConverged for what
  // cannot be had, kUnavailable for a program that does not start. `load` also
  // with kCorruption or kFailedPrecondition; it gives `reader` back after the
  // last byte that OnlineModel::Save wrote. A row that is made at run time, for
  // a learner of the host's own, has something to remember here.
  std::function<Result<std::unique_ptr<OnlineModel>>(
      const ModelRequest& request)>
      create;
  std::function<Result<std::unique_ptr<OnlineModel>>(
      const ModelRequest& request, ByteReader& reader)>
      load;
  // The learner without privacy that it is compared with; may be null.
  Result<AnyLearner> (*plain)(const ModelRequest& request) = nullptr;
};

// A table on disk, as `fit` and `predict` are told of it.
struct TableSource {
  std::string path;  // "-" is standard input
  bool header = true;
  // Without a header: how many columns there are, if no schema says so.
  std::optional<std::uint64_t> columns = {};
  std::string label = {};
  std::string user = {};    // the user column; empty: `user`, if any
  std::string labels = {};  // "neg,pos"
  std::string schema = {};
  std::string format = {};
  bool skip_bad = false;  // `predict` alone: a fit always skips bad rows
};

// Rows of a table that a fit treats as empty places, and rows without a name.
// The operator's own view.
struct TableUse {
  static constexpr std::size_t kNamedRows = 5;

  SkipCounts skipped = {};              // bad rows
  std::vector<std::string> first = {};  // the first of them: place and reason
  std::uint64_t over_limit = 0;  // rows of users who have used up their rows
  std::uint64_t unnamed = 0;     // each is a user of its own

  void AddBadRow(std::string where) {
    if (first.size() < kNamedRows) first.push_back(std::move(where));
  }
};

// Result of a batch fit.
struct FitResult {
  Json model;        // to be published, guarantee inside
  std::string text;  // as a person would read it
  Guarantee guarantee;
  Json parameters;
  // Places of the table, usable or not: public where a row may be replaced, by
  // an empty one too, and a secret where it may be added or removed.
  std::uint64_t rows = 0;
  TableUse use = {};
  std::vector<std::string> notes = {};  // what the operator should know
};

// One batch model.
struct BatchModelEntry {
  std::string_view name;
  std::string_view help;
  std::string_view example;
  OptionTable options;
  std::string_view publishes;
  Result<Plan> (*plan)(const Settings& settings);
  // Reads the table once. Users of the table go through a UserLedger.
  Result<FitResult> (*fit)(const Settings& settings, const TableSource& source,
                           const Key& key);
  // Reads the table as `fit` does, and fits nothing.
  Result<TableUse> (*check)(const Settings& settings,
                            const TableSource& source);
  OptionTable plan_options = {};  // that only `plan` is told, beside `options`
};

// One kind of model file, for `show` and `predict`: what online and batch
// models publish. Prediction apart by the member "model".
struct ModelFileFormat {
  std::string_view name;
  // As a person would read it. Fails with kInvalidArgument.
  Result<std::string> (*show)(const Json& model);
  // Calls `take` for every row of the table, with its prediction as a text a
  // user knows, and what it costs if the row's label is known: 1 if it is
  // wrong, else 0; of numbers, how far off it is. Labels
  // are read only if `with_labels`. Fails with kInvalidArgument, naming line
  // and column, or as `take` does.
  using Take = std::function<Status(std::string_view prediction,
                                    std::optional<double> cost)>;
  Status (*predict)(const Json& model, const TableSource& source,
                    bool with_labels, const Take& take);
};

}  // namespace sotto
