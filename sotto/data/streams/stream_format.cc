#include "sotto/data/streams/stream_format.h"

namespace sotto {

std::optional<StreamFormat> FormatNamed(std::string_view name) {
  if (name == "csv") return StreamFormat::kCsv;
  if (name == "libsvm") return StreamFormat::kLibsvm;
  if (name == "vw") return StreamFormat::kVw;
  if (name == "jsonl") return StreamFormat::kJsonl;
  return std::nullopt;
}

std::optional<StreamFormat> FormatOfPath(std::string_view path) {
  if (path == "-") return StreamFormat::kCsv;
  if (path.ends_with(".gz")) path.remove_suffix(3);
  if (path.ends_with(".csv")) return StreamFormat::kCsv;
  if (path.ends_with(".libsvm") || path.ends_with(".svm")) {
    return StreamFormat::kLibsvm;
  }
  if (path.ends_with(".vw")) return StreamFormat::kVw;
  if (path.ends_with(".jsonl") || path.ends_with(".ndjson")) {
    return StreamFormat::kJsonl;
  }
  return std::nullopt;
}

}  // namespace sotto
