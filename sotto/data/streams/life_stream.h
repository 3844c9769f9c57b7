#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sotto/base/result.h"
#include "sotto/random/chacha_rng.h"

namespace sotto {

// A synthetic table that looks like life, for experiments: people with numbers
// and categories, whether they buy something, labels that are partly luck,
// partly missing, and habits that change with the season.
//
//   auto life = LifeStream::Create({.seed = 7});
//   std::string text = LifeStream::Header();
//   life->AppendRow(text);
//
// In integers throughout: the same seed gives the same bytes on every machine.
// Threads: not thread-safe.
class LifeStream {
 public:
  struct Params {
    std::uint64_t seed = 1;
    double noise = 0;               // share of labels that are flipped on top
    double missing = 0;             // share of labels that never come
    std::uint64_t season = 20'000;  // rows of a season; 0: nothing changes
  };
  // Fails with kInvalidArgument, naming the parameter.
  static Result<LifeStream> Create(const Params& params);

  static std::string Header();
  // The public description of the table, as JSON.
  static std::string Schema();
  void AppendRow(std::string& text);

 private:
  explicit LifeStream(const Params& params);

  Params params_;
  std::unique_ptr<ChaChaRng> rows_;
  std::unique_ptr<ChaChaRng> luck_;
  std::uint64_t row_ = 0;
};

}  // namespace sotto
