#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "sotto/base/result.h"
#include "sotto/base/round.h"
#include "sotto/data/streams/generated_target.h"
#include "sotto/data/streams/stream_format.h"
#include "sotto/random/chacha_rng.h"
#include "sotto/random/key.h"

namespace sotto {

// The behaviour of adversarial rows, all with the wrong label.
enum class PoisonKind {
  kMislead,    // lie close to the boundary
  kProbe,      // come at it from ever closer
  kDuplicate,  // repeat one row that lies there
  kFlood,      // come from where honest rows hardly ever are
  kMixed,      // each row does one of these
};
// "mislead", ..., "mixed".
std::string_view Name(PoisonKind kind);
// Nothing if there is none of that name.
std::optional<PoisonKind> PoisonNamed(std::string_view name);

// A synthetic labelled stream without end, for experiments: the same seed gives
// the same rows, bit for bit, on every machine.
//
//   auto stream = StreamGenerator::Create(
//       {.kind = StreamKind::kThreshold, .seed = 7});
//   Round round;
//   stream->Next(round);                // or, as text:
//   std::string text = stream->Header(StreamFormat::kCsv);
//   stream->AppendRow(StreamFormat::kCsv, text);
//
// A reader of the text gets exactly the rounds that Next gives. The streams
// are defined in docs/formats/streams.md.
// Threads: not thread-safe.
class StreamGenerator {
 public:
  struct Params {
    StreamKind kind = StreamKind::kThreshold;
    std::uint64_t seed = 1;
    // Absent: 1 for threshold and point, 2 for rectangle, 10 for the others.
    std::optional<std::uint32_t> features = {};
    double margin = 0.2;  // halfspace: the least |<w, x>|, in (0, 1]
    double noise = 0;     // share of labels that are flipped
    double poison = 0;    // share of rows that are adversarial
    PoisonKind poison_kind = PoisonKind::kMislead;
    std::uint64_t drift = 0;   // rows from one target to the next; 0: one
    std::uint32_t length = 5;  // of the list; relevant features of halfspace
    // halfspace: the number of features that are not 0 in a row; 0: all.
    std::uint32_t nonzeros = 0;
  };
  // Fails with kInvalidArgument, naming the parameter.
  static Result<StreamGenerator> Create(const Params& params);

  std::uint32_t features() const { return target_params_.features; }
  // The number of rows so far.
  std::uint64_t rows() const { return rows_; }

  void Next(Round& round);
  // "x,y\n" for csv, nothing for the other formats.
  std::string Header(StreamFormat format) const;
  // The next row and a newline.
  // Requires a format that CanWrite.
  void AppendRow(StreamFormat format, std::string& text);
  // Rows with few features that are not 0 need libsvm or vw.
  bool CanWrite(StreamFormat format) const;

 private:
  explicit StreamGenerator(const Params& params);
  Key StreamKey(std::string_view purpose, std::uint64_t number) const;
  void Advance();
  void Poison();
  void AppendValue(std::int64_t cell, std::string& text) const;

  Params params_;
  GeneratedTarget::Params target_params_;
  bool cube_;  // whether values are in units of 10^-17
  std::unique_ptr<GeneratedTarget> target_;
  // Apart from each other, so that noise and poison change no other row.
  std::unique_ptr<ChaChaRng> row_rng_;
  std::unique_ptr<ChaChaRng> noise_rng_;
  std::unique_ptr<ChaChaRng> poison_rng_;
  std::uint64_t rows_ = 0;
  std::uint64_t probes_ = 0;
  std::uint64_t copies_ = 0;  // of `favourite_`
  GeneratedRow favourite_;
  GeneratedRow row_;
};

}  // namespace sotto
