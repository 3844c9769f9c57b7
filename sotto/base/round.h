#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"

namespace sotto {

// What became of a tick of the public clock, as far as its own user and the
// operator may know. Everybody else is shown the same for all of them.
enum class Presence : std::uint8_t {
  kPresent,   // features that can be used
  kAbsent,    // nobody came: an empty round
  kUnusable,  // what came cannot be used: treated as if nobody had come
  kRefused,   // the user has had all rounds there are for one user: likewise
};

// One tick of the public clock: what a user brings to it, and what the user is
// told. Readers fill in the first half, a session the second; whatever counts,
// prints or plots rounds takes this one type, so that rounds on which nobody is
// answered cannot get lost.
//
// Public is that the round took place and under which name. A row that cannot
// be used keeps its name if the name can be read.
struct Round {
  Presence presence = Presence::kPresent;
  FeatureVector x = {};         // empty unless present
  std::optional<Label> y = {};  // absent: this label never came
  std::string user = {};        // empty: a user of this round only
  // Of generated streams with adversarial rows: whether this is none. No model
  // sees it.
  std::optional<bool> honest = {};
  std::optional<Label> prediction =
      {};  // the prediction; absent: nobody was answered
  // Where the model has one: of the positive label of two, of the class told
  // of k.
  std::optional<double> probability = {};
  bool paid = false;        // the answer used up some of the model's budget
  std::uint64_t phase = 0;  // of the model when it was played, from 0

  bool present() const { return presence == Presence::kPresent; }
  // As it was before it was played: the second half.
  void ForgetAnswer() {
    prediction.reset();
    probability.reset();
    paid = false;
    phase = 0;
  }
  // As new, but for the memory, which is reused. To be called before every
  // round that is read into the same place: what the last one left must not
  // become part of the next user's.
  void Clear() {
    presence = Presence::kPresent;
    x.clear();
    y.reset();
    user.clear();
    honest.reset();
    ForgetAnswer();
  }
  friend bool operator==(const Round&, const Round&) = default;
};

}  // namespace sotto
