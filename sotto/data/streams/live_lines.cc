#include "sotto/data/streams/live_lines.h"

#include <utility>

#include "sotto/data/streams/public_inputs.h"

namespace sotto {

Result<LiveLines> LiveLines::Create(const ExampleReader::Params& params) {
  const EncodingParams& encoding = params.encoding;
  SOTTO_TRY_ASSIGN(auto label,
                   GetLabel(params.labels, encoding.schema, encoding.clamp));
  SOTTO_TRY_ASSIGN(auto rows, JsonlRows::Create(encoding, std::move(label)));
  return LiveLines(std::move(rows), params.limits);
}

bool LiveLines::Parse(std::string_view text, LiveLine& line, RowError& fault) {
  line.round.Clear();
  fault = {};
  JsonlRows::More more;
  const bool good = rows_->ParseLive(text, line.round, more, fault) &&
                    rows_->CheckValues(line.round, limits_, fault);
  line.id = std::move(more.id);
  line.ticket = std::move(more.ticket);
  if (good) return true;
  MakeUnusable(line.round);
  return false;
}

std::vector<std::string> LiveLines::FeatureNames() const {
  return sotto::FeatureNames(encoding());
}

std::string LiveLines::input_fingerprint() const {
  return InputFingerprint(encoding(), rows_->label().name, label_type());
}

}  // namespace sotto
