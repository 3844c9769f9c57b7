#include "sotto/data/streams/live_lines.h"

#include <utility>

#include "sotto/data/streams/public_inputs.h"

namespace sotto {

Result<LiveLines> LiveLines::Create(const ExampleReader::Params& params) {
  const EncodingParams& encoding = params.encoding;
  SOTTO_TRY_ASSIGN(auto label, GetLabel(params.labels, encoding.schema));
  SOTTO_TRY_ASSIGN(auto rows, JsonlRows::Create(encoding, std::move(label)));
  return LiveLines(std::move(rows), params.limits);
}

bool LiveLines::Parse(std::string_view text, LiveLine& line, RowError& fault) {
  line.round.Clear();
  fault = {};
  JsonlRows::LiveFields fields;
  const bool good =
      rows_->ParseLive(text, line.round, fields, fault) &&
      (fields.label || rows_->CheckValues(line.round, limits_, fault));
  line.id = std::move(fields.id);
  line.label = fields.label;
  line.ticket = std::move(fields.ticket);
  if (good) return true;
  MakeUnusable(line.round);
  return false;
}

void LiveLines::ParseCut(std::string_view start, std::size_t max_line,
                         LiveLine& line, RowError& fault) {
  line = {.label = start.starts_with(JsonlRows::kLabelStart)};
  fault = LongLine(max_line);
  MakeUnusable(line.round);
}

std::vector<std::string> LiveLines::FeatureNames() const {
  return sotto::FeatureNames(encoding());
}

std::string LiveLines::input_fingerprint() const {
  return InputFingerprint(encoding(), rows_->label().name, label_type());
}

}  // namespace sotto
