#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"

namespace sotto {

// The fate of a round. Only its own user and the operator may see it; the last
// three look alike to all other users.
enum class Presence : std::uint8_t {
  kPresent,   // usable features
  kAbsent,    // no user came: an empty round
  kUnusable,  // a bad row: an empty round
  kRefused,   // the user is over the per-user limit: an empty round
};

// The longest name of a user, in bytes. A row with a longer name is a bad row,
// in every format: a name cut short could be another user's.
inline constexpr std::size_t kMaxUserBytes = 1024;

// One round: the data of a user and the answer to that user. Readers fill in
// the first half, a session the second. Everything that counts, prints or plots
// rounds takes this one type, so that empty rounds cannot get lost.
//
// It is public that the round took place and under which name. A bad row keeps
// its name if the name can be read.
struct Round {
  Presence presence = Presence::kPresent;
  FeatureVector x = {};         // empty unless present
  std::optional<Label> y = {};  // absent: a missing label
  std::string user = {};        // empty: a user of this round only
  // False for adversarial rows of generated streams. No model sees it.
  std::optional<bool> honest = {};
  std::optional<Label> prediction = {};  // absent: an empty round
  // Probability of the positive label of two, or of the predicted class of k.
  // Absent if the model has none.
  std::optional<double> probability = {};
  bool paid = false;        // the answer used some of the model's budget
  std::uint64_t phase = 0;  // phase of the model before the round, from 0

  bool present() const { return presence == Presence::kPresent; }
  // Clears the second half.
  void ForgetAnswer() {
    prediction.reset();
    probability.reset();
    paid = false;
    phase = 0;
  }
  // Clears everything and keeps the memory. Call it before each round that is
  // read into the same place: data of one user must not reach the next.
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
