#include "sotto/service/slot_group.h"

#include <numeric>
#include <set>
#include <utility>

#include "sotto/random/exact_samplers.h"
#include "sotto/service/reply_text.h"

namespace sotto {
namespace {

using Kind = HostRequest::Kind;

// Requests of a group, sorted by what they need.
class Sorter {
 public:
  explicit Sorter(ServedModel& model)
      : model_(model),
        places_(static_cast<std::size_t>(model.slots()->rounds)) {}

  void Add(ServedStep step, std::size_t request) {
    if (step.record && IsRepeat(step)) step.record.reset();
    const bool label = step.kind == Kind::kLabel;
    std::vector<SlotStep>& kind = label ? labels : rounds;
    const bool full = kind.size() == places_;
    const bool round = step.kind == Kind::kPredict;
    if (full && (step.record || round)) {
      step.record.reset();
      step.reply = UnavailableReply();
    }
    if (!full && !step.record && round) rounds.push_back({MakeTaken()});
    (step.record ? kind : rest).push_back({std::move(step), request});
  }

  std::vector<SlotStep> labels{};
  std::vector<SlotStep> rounds{};
  std::vector<SlotStep> rest{};  // without a record

 private:
  // The same ticket or the same idempotent request was in the group before: it
  // is answered when the first one is.
  bool IsRepeat(const ServedStep& step) {
    if (step.kind == Kind::kLabel) {
      return !tickets_.insert(step.label.ticket).second;
    }
    return step.round.repeat && !repeats_.insert(*step.round.repeat).second;
  }

  // An empty round in a place that a request without a record took.
  ServedStep MakeTaken() { return model_.MakeFiller(Kind::kPredict, true); }

  ServedModel& model_;
  std::size_t places_;
  std::set<Hash16> tickets_{};
  std::set<Hash16> repeats_{};
};

}  // namespace

std::vector<std::size_t> DrawPlaces(std::size_t places, Rng& rng) {
  std::vector<std::size_t> order(places);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t left = places; left > 1; --left) {
    const auto other = static_cast<std::size_t>(UniformBelow(left, rng));
    std::swap(order[left - 1], order[other]);
  }
  return order;
}

std::vector<SlotStep> MakeSlotGroup(
    ServedModel& model, std::span<const HostRequest* const> requests,
    Rng& rng) {
  const auto places = static_cast<std::size_t>(model.slots()->rounds);
  Sorter sorted(model);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    sorted.Add(model.Prepare(*requests[i]), i);
  }
  std::vector<SlotStep> group = std::move(sorted.labels);
  while (group.size() < places)
    group.push_back({model.MakeFiller(Kind::kLabel)});
  const std::vector<std::size_t> drawn = DrawPlaces(places, rng);
  for (std::size_t i = 0; i < places; ++i) {
    group.push_back({model.MakeFiller(Kind::kPredict)});
  }
  for (std::size_t i = 0; i < sorted.rounds.size(); ++i) {
    group[places + drawn[i]] = std::move(sorted.rounds[i]);
  }
  for (SlotStep& step : sorted.rest) group.push_back(std::move(step));
  return group;
}

}  // namespace sotto
