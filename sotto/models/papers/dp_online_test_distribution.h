#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "sotto/models/papers/dp_online_learner.h"

// The distribution of all that a small DpOnlineLearner publishes, by
// enumeration, for its tests; and of broken variants.
//
// Threads: not thread-safe.
namespace sotto::dp_online_law {

using Labels = TeacherLists::Labels;
using Params = DpOnlineLearner::Params;

// A point and a label. The round is empty if the point is negative.
struct Example {
  int point = -1;
  bool y = false;
};

// Deviations from the page; each is a broken variant.
struct BrokenVariant {
  bool cuts = true;          // lists to what was declared
  bool reads_two = false;    // a mistake is handed to two teachers
  std::int64_t counted = 1;  // what the test of agreement counts for a teacher
  bool keeps = false;        // mistakes stay after they were handed out
  bool splits = false;       // mistakes are split evenly, as line 20 prints it
};

// Visible events: kTick + t is a call in round t, kBelow a test of agreement
// that failed, kNothing an empty draw. Other numbers are the functions drawn.
using Transcript = std::vector<int>;
inline constexpr int kTick = 1000;
inline constexpr int kBelow = 2000;
inline constexpr int kNothing = 3000;
using Distribution = std::map<Transcript, double>;

inline std::int64_t FindBottom(const Params& params) {
  const auto learner = DpOnlineLearner::Create(params);
  if (learner) return learner->sample().bottom();
  ADD_FAILURE() << learner.error().message;
  return 0;
}

class Game {
 public:
  Game(const Params& params, const BrokenVariant& variant)
      : params_(params),
        variant_(variant),
        bottom_(FindBottom(params)),
        lists_({.functions = params.functions,
                .dimension = params.dimension,
                .list_size = variant.cuts ? params.list_size : 100}) {}

  // Given whose the mistake of each round will be, which is drawn whatever is
  // in the rounds; a transcript may belong to one world alone under some of
  // these and to both under others.
  Distribution Play(const std::vector<Example>& examples,
                    const std::vector<std::size_t>& dealt) {
    distribution_.clear();
    examples_ = examples;
    dealt_ = dealt;
    State state{.handed =
                    std::vector<std::vector<TeacherRows>>(params_.teachers)};
    for (std::size_t x = 0; x < params_.functions->points(); ++x) {
      state.labels.push_back(2 * CountMembers(params_.functions->Ones(x)) >
                             params_.functions->size());
    }
    Train(0, false, state);
    return distribution_;
  }
  int ToNumber(const Labels& labels) {
    return numbers_.try_emplace(labels, static_cast<int>(numbers_.size()))
        .first->second;
  }

 private:
  struct Mistake {
    std::uint32_t point = 0;
    bool label = false;
    std::size_t teacher = 0;
  };
  struct Prediction {
    bool label = false;
    std::uint64_t change = 0;
  };
  struct State {
    std::vector<Mistake> mistakes = {};
    std::vector<std::vector<TeacherRows>> handed = {};
    std::vector<bool> labels = {};
    std::vector<Prediction> prediction = {};  // in every round
    std::uint64_t stage = 1;
    std::uint64_t changes = 0;
    double probability = 1;
    Transcript seen = {};
  };
  using Lists = std::vector<std::vector<SparseSample::Item>>;

  // Pr[value + noise > threshold].
  static double Above(std::int64_t value, std::int64_t threshold, double rate) {
    const auto missing = static_cast<double>(threshold + 1 - value);
    const double e = std::exp(-rate);
    return missing > 0 ? std::pow(e, missing) / (1 + e)
                       : 1 - std::pow(e, 1 - missing) / (1 + e);
  }
  bool Halted(const State& state) const {
    return state.changes == params_.calls || state.stage > params_.stages;
  }

  // The clock's step before round t: the mistake of `delay` + 1 rounds ago goes
  // to a teacher, if the hypothesis that made it is still published.
  void Step(std::size_t t, const State& state) {
    const std::size_t ago = params_.delay + 1;
    const Example before = t >= ago ? examples_[t - ago] : Example{};
    const Prediction prediction =
        t >= ago ? state.prediction[t - ago] : Prediction{};
    const auto x = static_cast<std::size_t>(std::max(before.point, 0));
    if (before.point < 0 || prediction.label == before.y ||
        prediction.change != state.changes || Halted(state)) {
      Test(t, state);
      return;
    }
    State next = state;
    next.mistakes.push_back(
        {static_cast<std::uint32_t>(x), before.y, dealt_[t - 1]});
    Test(t, next);
  }

  void Test(std::size_t t, State state) {
    if (!Halted(state)) {
      const double above =
          Above(static_cast<std::int64_t>(state.mistakes.size()), params_.limit,
                params_.mistake_rate);
      State called = state;
      called.probability *= above;
      called.seen.push_back(kTick + static_cast<int>(t));
      Call(t, called);
      state.probability *= 1 - above;
    }
    Next(t, state);
  }

  void Next(std::size_t t, State state) {
    if (t < examples_.size()) {
      const auto x = static_cast<std::size_t>(std::max(examples_[t].point, 0));
      state.prediction.push_back({state.labels[x], state.changes});
      Step(t + 1, state);
      return;
    }
    distribution_[state.seen] += state.probability;
  }

  void Call(std::size_t t, State state) {
    ++state.changes;
    if (!variant_.splits) {
      HandOut(t, state);
      return;
    }
    const auto splits = EvenSplits(state.mistakes.size());
    for (const auto& split : splits) {
      State one = state;
      one.probability /= static_cast<double>(splits.size());
      for (std::size_t i = 0; i < split.size(); ++i) {
        one.mistakes[i].teacher = split[i];
      }
      HandOut(t, one);
    }
  }

  // All ways to deal `count` mistakes out in parts whose sizes differ by one at
  // most.
  std::vector<std::vector<std::size_t>> EvenSplits(std::size_t count) const {
    std::vector<std::vector<std::size_t>> splits;
    std::size_t ways = 1;
    for (std::size_t i = 0; i < count; ++i) ways *= params_.teachers;
    for (std::size_t way = 0; way < ways; ++way) {
      std::vector<std::size_t> split;
      std::vector<std::size_t> sizes(params_.teachers);
      for (std::size_t i = 0, rest = way; i < count; ++i) {
        split.push_back(rest % params_.teachers);
        ++sizes[split.back()];
        rest /= params_.teachers;
      }
      const auto [least, most] = std::ranges::minmax(sizes);
      if (most - least <= 1) splits.push_back(split);
    }
    return splits;
  }

  void HandOut(std::size_t t, State state) {
    for (auto& handed : state.handed) handed.emplace_back();
    for (const Mistake& mistake : state.mistakes) {
      const std::pair row(mistake.point, mistake.label);
      state.handed[mistake.teacher].back().push_back(row);
      if (!variant_.reads_two) continue;
      state.handed[(mistake.teacher + 1) % params_.teachers].back().push_back(
          row);
    }
    if (!variant_.keeps) state.mistakes.clear();
    Train(t, true, state);
  }

  // At the start the clock's first step comes afterwards.
  void Done(std::size_t t, bool later, const State& state) {
    if (later) {
      Next(t, state);
    } else {
      Step(0, state);
    }
  }

  void Train(std::size_t t, bool later, State state) {
    if (state.stage > params_.stages) {
      Done(t, later, state);
      return;
    }
    const std::uint64_t tolerance =
        StageTolerance(params_.tolerance, params_.dimension,
                       DpOnlineLearner::kStageDivisor, state.stage);
    Lists lists;
    for (const auto& handed : state.handed) {
      FiniteClass::Set kept = params_.functions->All();
      for (const TeacherRows& rows : handed) {
        kept[0] &= KeptBy(*params_.functions, rows, tolerance)[0];
      }
      lists.push_back(lists_.Of(kept, params_.p << state.stage));
    }
    const double above = Above(variant_.counted * TopFrequency(lists),
                               params_.threshold, params_.agreement);
    State agreed = state;
    agreed.probability *= above;
    Draw(t, later, lists, agreed, {});
    state.probability *= 1 - above;
    state.seen.push_back(kBelow);
    ++state.stage;
    Train(t, later, state);
  }

  void Draw(std::size_t t, bool later, const Lists& lists, const State& state,
            const std::vector<int>& drawn) {
    if (drawn.size() == params_.votes) {
      State next = state;
      Publish(drawn, next);
      Done(t, later, next);
      return;
    }
    std::map<SparseSample::Item, double> scores;
    for (const auto& list : lists) {
      for (const auto item : list) ++scores[item];
    }
    const double rate = params_.sample_rate;
    const double nothing = std::exp(rate * static_cast<double>(bottom_));
    double sum = nothing;
    for (const auto& [item, score] : scores) sum += std::exp(rate * score);
    const auto go = [&](int what, double weight) {
      State next = state;
      next.probability *= weight / sum;
      next.seen.push_back(what);
      auto more = drawn;
      more.push_back(what);
      Draw(t, later, lists, next, more);
    };
    go(kNothing, nothing);
    for (const auto& [item, score] : scores) {
      go(ToNumber(lists_.labels(item)), std::exp(rate * score));
    }
  }

  void Publish(const std::vector<int>& drawn, State& state) {
    std::vector<const Labels*> labels;
    for (const auto& [known, number] : numbers_) {
      for (const int what : drawn) {
        if (what == number) labels.push_back(&known);
      }
    }
    for (std::size_t x = 0; x < state.labels.size(); ++x) {
      std::size_t ones = 0;
      for (const Labels* known : labels) ones += (*known)[x] ? 1U : 0U;
      state.labels[x] = labels.empty()
                            ? 2 * CountMembers(params_.functions->Ones(x)) >
                                  params_.functions->size()
                            : 2 * ones > labels.size();
    }
  }

  Params params_;
  BrokenVariant variant_;
  std::int64_t bottom_;
  TeacherLists lists_;
  std::map<Labels, int> numbers_;
  std::vector<Example> examples_;
  std::vector<std::size_t> dealt_;
  Distribution distribution_;
};

}  // namespace sotto::dp_online_law
