#pragma once

#include <optional>
#include <string_view>

namespace sotto {

enum class StreamFormat { kCsv, kLibsvm, kVw, kJsonl };

// "csv", "libsvm", "vw" or "jsonl"; nothing if it is none of them.
std::optional<StreamFormat> FormatNamed(std::string_view name);
// The format by the file's ending, without ".gz": .csv, .libsvm or .svm, .vw,
// .jsonl or .ndjson. Standard input ("-") is csv.
std::optional<StreamFormat> FormatOfPath(std::string_view path);

}  // namespace sotto
