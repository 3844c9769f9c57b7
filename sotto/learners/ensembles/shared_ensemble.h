#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sotto/learners/ensembles/copies.h"
#include "sotto/learners/ensembles/ensemble.h"
#include "sotto/learners/learner.h"

namespace sotto {

// k copies in which equal states are stored once: a vote asks each distinct
// state once. For finite classes, which reach few states, and for untaught
// copies.
//
//   SharedEnsemble<HalvingLearner> ensemble(learner, 32'000);
//   auto votes = ensemble.Votes(x);
//
// States are equal if they save the same bytes. So Save must write everything
// that later predictions and updates depend on.
//
// Proof: ensembles.md, "Shared". Threads: not thread-safe.
template <SavableLearner L>
class SharedEnsemble final : public Ensemble {
 public:
  // Requires copies >= 1.
  SharedEnsemble(const L& fresh, std::int64_t copies)
      : fresh_(fresh), state_of_(static_cast<std::size_t>(copies), 0) {
    const std::size_t state = Intern(fresh);
    states_[state].holders = copies;
  }

  std::int64_t copies() const override {
    return static_cast<std::int64_t>(state_of_.size());
  }
  Result<std::int64_t> Votes(FeatureView x) override {
    std::int64_t votes = 0;
    for (const State& state : states_) {
      if (state.holders > 0 && state.learner.Predict(x)) votes += state.holders;
    }
    return votes;
  }
  Status Update(std::int64_t copy, FeatureView x, bool y) override {
    std::uint32_t& held = state_of_[static_cast<std::size_t>(copy)];
    L learner = states_[held].learner;
    learner.Update(x, y);
    const std::size_t next = Intern(learner);
    ++states_[next].holders;  // First, so that an unchanged state survives.
    Release(held);
    held = static_cast<std::uint32_t>(next);
    return Ok();
  }
  // Each distinct state once, in the order of the first copy that holds it,
  // then which one each copy holds.
  Status Save(ByteWriter& out) override {
    constexpr std::uint32_t kUnseen = ~std::uint32_t{0};
    std::vector<std::uint32_t> number(states_.size(), kUnseen);
    out.Number(static_cast<std::uint64_t>(state_of_.size()));
    out.Number(static_cast<std::uint32_t>(distinct()));
    std::uint32_t seen = 0;
    for (const std::uint32_t state : state_of_) {
      if (number[state] != kUnseen) continue;
      number[state] = seen++;
      states_[state].learner.Save(out);
    }
    for (const std::uint32_t state : state_of_) out.Number(number[state]);
    return Ok();
  }
  Status Load(ByteReader& in) override {
    Status status = CheckSavedCopies(state_of_.size(), in);
    if (!status) return status;
    const auto count = in.Number<std::uint32_t>();
    if (count > state_of_.size()) return Corrupt();
    std::vector<std::uint32_t> places;
    for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
      L learner = fresh_;
      status = learner.Load(in);
      if (!status) return status;
      places.push_back(static_cast<std::uint32_t>(Intern(learner)));
    }
    for (std::uint32_t& held : state_of_) {
      const auto number = in.Number<std::uint32_t>();
      if (in.failed() || number >= places.size()) return Corrupt();
      ++states_[places[number]].holders;
      Release(held);
      held = places[number];
    }
    return AllHeld(places);
  }

  // The number of learners that a vote asks.
  std::size_t distinct() const { return place_of_.size(); }

 private:
  struct State {
    L learner;
    std::int64_t holders;  // 0: a free place.
    std::string bytes;
  };

  // The place of this state, which may be new and have no holder yet.
  std::size_t Intern(const L& learner) {
    ByteWriter writer;
    learner.Save(writer);
    const auto [known, is_new] = place_of_.try_emplace(writer.bytes(), 0);
    if (!is_new) return known->second;
    if (free_.empty()) {
      known->second = states_.size();
      states_.push_back({learner, 0, std::move(writer).bytes()});
    } else {
      known->second = free_.back();
      free_.pop_back();
      states_[known->second] = {learner, 0, std::move(writer).bytes()};
    }
    return known->second;
  }
  void Release(std::size_t state) {
    if (--states_[state].holders > 0) return;
    place_of_.erase(states_[state].bytes);
    free_.push_back(state);
  }

  // Checks that every state has a holder, as Save ensures.
  Status AllHeld(const std::vector<std::uint32_t>& places) const {
    for (const std::uint32_t place : places) {
      if (states_[place].holders == 0) return Corrupt();
    }
    return Ok();
  }
  static Error Corrupt() {
    return {ErrorCode::kCorruption, "not the state of a shared ensemble"};
  }

  L fresh_;
  std::vector<std::uint32_t> state_of_;  // State of each copy.
  std::vector<State> states_;
  std::vector<std::size_t> free_;
  std::unordered_map<std::string, std::size_t> place_of_;
};

}  // namespace sotto
