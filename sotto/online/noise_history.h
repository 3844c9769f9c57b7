#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/feature_view.h"
#include "sotto/base/label.h"
#include "sotto/base/round.h"
#include "sotto/random/history_rng.h"
#include "sotto/random/key.h"

namespace sotto {

// The noise of a session: a function of a key and of all that happened up to
// the round. A state that is loaded twice and fed different data draws
// independent noise; a resumed run equals one that was never stopped.
//
//   NoiseHistory history(noise_key, hash_key);
//   Rng& rng = history.Begin(round);     // this round's noise
//   history.AddLabel(round_number, y);     // a label arrived
//
// Inputs enter by a keyed 127-bit hash (a single number alone directly), so
// that no one without the key can look for two that collide.
//
// Proof:   noise_history.md, next to this file.
// Threads: not thread-safe.
class NoiseHistory {
 public:
  NoiseHistory(const Key& noise, const Key& hash)
      : hash_(hash),
        inputs_(InputKey(hash)),
        rng_(std::make_unique<HistoryRng>(noise)) {}

  // Absorbs what the round brings (its presence included) and all labels since
  // the last one.
  Rng& Begin(const Round& round);
  // The label of an earlier round came, with which number it does not matter
  // as long as it is always the same. The label of the last round that began
  // is the usual case, and costs nothing.
  void AddLabel(std::uint64_t round, const Label& y);

  // How many rounds have begun; the first has the number 1.
  std::uint64_t rounds() const { return rounds_; }

  // Where the history is right after a Begin, before any label is taught, and
  // back to such a place: for rounds that were begun ahead and are begun again.
  struct Place {
    Key key;
    std::uint64_t rounds = 0;
  };
  Place place() const { return {rng_->key(), rounds_}; }
  // Labels that have come since are forgotten, and to be taught again.
  void Rewind(const Place& place);

  // Continues under other keys; `noise` depends on the history so far. Labels
  // since the last round are absorbed by the next.
  void Rotate(const Key& noise, const Key& hash);

  void Save(ByteWriter& writer) const;
  // Fails with kCorruption.
  static Result<NoiseHistory> Load(ByteReader& reader);

 private:
  static Key InputKey(const Key& hash) {
    return hash.Derive("round-v3", "input", {});
  }
  // The round's content and the labels since the last one, in `bytes_`.
  std::string_view Encoded(const Round& round, std::uint64_t label);

  Key hash_;
  Key inputs_;                       // of the hash, by hash_
  std::unique_ptr<HistoryRng> rng_;  // which does not move
  std::uint64_t rounds_ = 0;
  std::optional<bool> last_;  // the label of the last round, if of two
  std::string labels_;        // of other rounds since then, and other labels
  std::string bytes_;         // scratch
};

}  // namespace sotto
