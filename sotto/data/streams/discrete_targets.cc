// Targets on finite domains: point, decision list.

#include <utility>

#include "sotto/data/streams/generated_target.h"

namespace sotto {
namespace {

constexpr std::int64_t kOtherPoints = 1'000'000;

class PointTarget final : public GeneratedTarget {
 public:
  explicit PointTarget(std::int64_t secret) : secret_(secret) {}

  void Row(Rng& rng, GeneratedRow& row) const override {
    row.y = Below(rng, 20) == 0;
    row.cells.assign(1, row.y ? secret_ : Other(rng));
  }
  // The secret point called negative, or another called positive.
  void Poison(Rng& rng, GeneratedRow& row) const override {
    row.y = (rng.Next() & 1) != 0;
    row.cells.assign(1, row.y ? Other(rng) : secret_);
  }
  // Numbers beyond all others, called positive.
  void Flood(Rng& rng, GeneratedRow& row) const override {
    row.cells.assign(1, kOtherPoints + 1 + Below(rng, 1000));
    row.y = true;
  }

 private:
  std::int64_t Other(Rng& rng) const {
    const std::int64_t drawn = Below(rng, kOtherPoints);
    return drawn + (drawn >= secret_ ? 1 : 0);
  }

  std::int64_t secret_;
};

// The first rule whose column has its value decides; otherwise the default.
class DecisionListTarget final : public GeneratedTarget {
 public:
  struct Rule {
    std::uint32_t column = 0;
    std::int64_t value = 0;
    bool y = false;
  };
  DecisionListTarget(std::uint32_t features, std::vector<Rule> rules)
      : features_(features), rules_(std::move(rules)) {}

  void Row(Rng& rng, GeneratedRow& row) const override {
    row.cells.resize(features_);
    DrawBits(rng, 0, 1, row.cells);
    row.y = Label(row);
  }
  // A row that gets past all rules but the last.
  void Poison(Rng& rng, GeneratedRow& row) const override {
    Row(rng, row);
    for (std::size_t i = 0; i + 1 < rules_.size(); ++i) {
      row.cells[rules_[i].column] = 1 - rules_[i].value;
    }
    row.y = !Label(row);
  }
  // All columns alike.
  void Flood(Rng& rng, GeneratedRow& row) const override {
    row.cells.assign(features_, (rng.Next() & 1) != 0 ? 1 : 0);
    row.y = !Label(row);
  }

 private:
  bool Label(const GeneratedRow& row) const {
    for (const Rule& rule : rules_) {
      if (row.cells[rule.column] == rule.value) return rule.y;
    }
    // Otherwise the last rule would say nothing.
    return !rules_.back().y;
  }

  std::uint32_t features_;
  std::vector<Rule> rules_;
};

}  // namespace

std::unique_ptr<GeneratedTarget> DrawPoint(Rng& rng) {
  return std::make_unique<PointTarget>(Below(rng, kOtherPoints + 1));
}

std::unique_ptr<GeneratedTarget> DrawDecisionList(std::uint32_t features,
                                                  std::uint32_t length,
                                                  Rng& rng) {
  std::vector<std::uint32_t> columns = DrawSubset(features, length, rng);
  std::vector<DecisionListTarget::Rule> rules;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto left = static_cast<std::int64_t>(columns.size() - i);
    std::swap(columns[i],
              columns[i + static_cast<std::size_t>(Below(rng, left))]);
    const std::uint64_t word = rng.Next();
    rules.push_back(
        {columns[i], static_cast<std::int64_t>(word & 1), (word & 2) != 0});
  }
  return std::make_unique<DecisionListTarget>(features, std::move(rules));
}

}  // namespace sotto
