#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/bytes.h"
#include "sotto/base/result.h"
#include "sotto/testing/seeded_rng.h"

// A test of saved states that every field has to pass, for anything with a Save
// and a Load.

namespace sotto::testing {

// Bytes that Save writes.
template <typename T>
std::string SavedBytes(const T& thing) {
  ByteWriter writer;
  thing.Save(writer);
  return std::move(writer).bytes();
}

struct SavedStates {
  std::uint64_t rounds = 60;
  std::uint64_t every = 1;  // rounds between two saves
  // The state counts rounds: it is another after every round before the halt,
  // also where a round has nothing else to count.
  bool has_clock = false;
};

// Plays two of `make()` on the same words, one of them saved and loaded after
// every round. What rounds show, the bytes, and the bytes of what was loaded
// must be the same: a field that is written wrongly shows in later rounds, one
// that is read and forgotten in the bytes.
//
//   make()                     T, alike in every call
//   load(reader)               Result<T>
//   play(thing, round, rng)    std::string: the answer of this round, from 1,
//                              and all that can be asked about the thing; empty
//                              if it has halted
template <typename Make, typename Load, typename Play>
void CheckStates(const SavedStates& states, const Make& make, const Load& load,
                 const Play& play) {
  auto whole = make();
  auto parts = make();
  ASSERT_EQ(SavedBytes(whole), SavedBytes(parts));
  SeededRng here(7);
  SeededRng there(7);
  std::vector<std::string> shown;
  std::string before;
  for (std::uint64_t round = 0; round <= states.rounds; ++round) {
    if (round > 0) {
      shown.push_back(play(whole, round, here));
      ASSERT_EQ(play(parts, round, there), shown.back()) << "round " << round;
      if (shown.back().empty()) break;
    }
    if (round % states.every != 0) continue;
    const std::string bytes = SavedBytes(parts);
    ASSERT_EQ(SavedBytes(whole), bytes) << "after round " << round;
    if (states.has_clock) {
      EXPECT_NE(bytes, before) << "round " << round << " leaves no trace";
    }
    before = bytes;
    ByteReader reader(bytes);
    auto loaded = load(reader);
    ASSERT_TRUE(loaded) << "round " << round << ": " << loaded.error().message;
    EXPECT_TRUE(reader.Finish()) << "round " << round;
    ASSERT_EQ(SavedBytes(*loaded), bytes) << "loaded after round " << round;
    parts = *std::move(loaded);
    // Cut bytes are refused.
    ByteReader cut(std::string_view(bytes).substr(0, bytes.size() - 1));
    const auto half = load(cut);
    EXPECT_FALSE(half && cut.Finish()) << "round " << round;
  }
  EXPECT_EQ(here.Next(), there.Next()) << "other words were drawn";
}

}  // namespace sotto::testing
