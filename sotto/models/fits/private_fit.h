#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/accounting/guarantee.h"
#include "sotto/accounting/spend.h"
#include "sotto/base/json.h"
#include "sotto/base/option.h"
#include "sotto/base/rational.h"
#include "sotto/base/result.h"
#include "sotto/base/settings.h"
#include "sotto/data/streams/example_reader.h"
#include "sotto/data/tables/fit_result.h"
#include "sotto/models/fits/fit_batch.h"
#include "sotto/models/fits/fit_columns.h"
#include "sotto/models/fits/fit_hypothesis.h"
#include "sotto/random/rng.h"

namespace sotto {

// Privacy budget of a fit.
struct FitBudget {
  // For a user with all rows, in whichever batches: each of them may be taken
  // out of one batch and put into another.
  ApproximateDp user = {};
  Relation relation = Relation::kReplace;
  std::uint64_t rounds_per_user = 1;
};

// A private batch learner: from rows to a hypothesis that may be published.
//
//   auto fit = FindFit("stump")->create(settings, columns, budget);
//   FitHypothesis h = (*fit)->Fit(batch, rng);
//
// Guarantee: epsilon() and delta(), over any sequence of batches, chosen
//            adaptively by an adversary who sees the hypotheses, if at most
//            rounds_per_user rows are each taken out of one place and put,
//            changed or not, into another place of any batch (replace), or
//            taken out (add-remove).
//            Without takes_late_labels(): of the same batch.
// Threads:   immutable; calls may run at the same time.
class PrivateFit {
 public:
  virtual ~PrivateFit() = default;

  // Work depends on the number of places and columns, not on what is in them
  // (where a fit cannot, its page says so).
  virtual FitHypothesis Fit(const FitBatch& batch, Rng& rng) const = 0;
  // The hypothesis before there is any data.
  virtual FitHypothesis First() const { return {}; }

  // Cost of a user with all rows, in whichever batches, by parts. Within the
  // budget.
  virtual Spend spend() const = 0;
  double epsilon() const { return Total(spend()).epsilon; }
  double delta() const { return Total(spend()).delta; }
  // A row that comes to another batch than in the other world is paid for. If
  // not, a label that comes after the end of its round's batch is dropped.
  virtual bool takes_late_labels() const { return true; }

  // Expected error on fresh rows after `rows` rows, beyond the best possible
  // error. Independent of data: a model for tables that one hypothesis
  // explains, not a bound.
  virtual double ExpectedError(double rows) const = 0;
  // Places of a first batch, where that is known better than from the model; 0:
  // it is not.
  virtual std::uint64_t UsualFirstEpoch() const { return 0; }
  // Rows that are enough for an error of `error` beyond the best on those rows,
  // with probability 1 - failure, for any rows.
  virtual double RowsFor(double error, double failure) const = 0;
  // Returns true if RowsFor is proved; if not, it is for each of several draws.
  virtual bool proves_rows() const { return true; }

  virtual Json parameters() const = 0;
  // "stumps over 12 columns".
  virtual std::string Summary() const = 0;
};

// A fit of one table, row by row.
class TableFit {
 public:
  virtual ~TableFit() = default;
  virtual void Add(std::span<const std::uint32_t> codes, bool label) = 0;
  // An empty place: a line without a usable row.
  virtual void AddEmpty() = 0;
  // Draws the model. Leaves out FitResult::use and notes.
  virtual FitResult Finish(Rng& rng) = 0;
};

// One kind of fit: everything that depends on which it is.
struct FitEntry {
  std::string_view name;
  std::string_view help;  // one line
  std::string_view example;
  OptionTable options;  // beside FitOptions()
  // The columns it looks at, by what is public.
  Result<FitColumns> (*columns)(const Settings& settings,
                                const InputSpec& inputs);
  Result<std::unique_ptr<PrivateFit>> (*create)(const Settings& settings,
                                                const FitColumns& columns,
                                                const FitBudget& budget);
  // Changes how tables are read and which rows can be used; may be null.
  Status (*prepare)(const Settings& settings, ReaderParams& request) = nullptr;
  // Adds alternatives to a plan, and why they do not run; may be null.
  Status (*compare)(const Settings& settings, const FitBudget& budget,
                    Plan& plan) = nullptr;
  // Fits tables that are not kept, and writes its own file. Null: `create` and
  // FitFile.
  Result<std::unique_ptr<TableFit>> (*open)(const Settings& settings,
                                            const FitColumns& columns,
                                            const FitLabels& labels) = nullptr;
};

// Options of all fits: --range.
const OptionTable& FitOptions();

// All fits; and the one of that name, or null.
const std::vector<const FitEntry*>& Fits();
const FitEntry* FindFit(std::string_view name);

// Cost of one row that is taken out or put in, in nats, if the fit looks at it
// once: epsilon / (2 m) for replace, epsilon / m for
// add-remove, m the rounds of a user. Fails with kInvalidArgument unless
// epsilon is in [2^-10, 16] and m in [1, 2^10].
Result<Rational> RowRate(const FitBudget& budget);
// Cost of a draw whose weights fall by e^rate for a loss of one unit, where a
// row that is removed or added loses `units`.
Spend DrawCost(std::string name, const FitBudget& budget, const Rational& rate,
               double units = 1);

}  // namespace sotto
