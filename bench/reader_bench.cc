// How many examples of 100 features does each reader give per CPU-second?
// Baseline, in the same run: std::getline, std::istringstream and strtod on the
// same file. Numbers are as data has them: all 17 digits ("17"), or four ("4").
// What a reader gives is checked against the baseline before any time is
// believed.

#include <benchmark/benchmark.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "sotto/data/streams/example_reader.h"

namespace sotto {
namespace {

constexpr int kRows = 5000;
constexpr int kFeatures = 100;

std::string Value(std::mt19937_64& rng, int digits) {
  const double x = static_cast<double>(rng() >> 11) * 0x1p-53;
  char text[32];
  std::snprintf(text, sizeof(text), "%.*f", digits, x);
  return text;
}

void AppendRow(std::mt19937_64& rng, StreamFormat format, int digits,
               bool named, std::string& text) {
  const std::string label = (rng() & 1) != 0 ? "1" : "0";
  if (format == StreamFormat::kJsonl) text += R"({"y":)" + label + R"(,"x":[)";
  if (format == StreamFormat::kLibsvm) text += label;
  if (format == StreamFormat::kVw) text += label + " |";
  for (int i = 0; i < kFeatures; ++i) {
    if (format == StreamFormat::kLibsvm) text += ' ' + std::to_string(i + 1);
    if (format == StreamFormat::kVw) {
      text += (named ? " feature_" : " ") + std::to_string(i);
    }
    const bool listed =
        format == StreamFormat::kCsv || format == StreamFormat::kJsonl;
    if (!listed) text += ':';
    if (listed && i > 0) text += ',';
    text += Value(rng, digits);
  }
  if (format == StreamFormat::kCsv) text += "," + label;
  if (format == StreamFormat::kJsonl) text += "]}";
  text += '\n';
}

// One file for each benchmark, written once, removed in the end.
class DataFile {
 public:
  DataFile(StreamFormat format, int digits, bool named)
      : path_(std::string(P_tmpdir) + "/sotto_reader_bench_" +
              std::to_string(static_cast<int>(format)) + "_" +
              std::to_string(digits) + (named ? "n" : "")) {
    std::mt19937_64 rng(1);
    std::string text;
    if (format == StreamFormat::kCsv) {
      for (int i = 1; i <= kFeatures; ++i)
        text += "x" + std::to_string(i) + ",";
      text += "y\n";
    }
    for (int i = 0; i < kRows; ++i) AppendRow(rng, format, digits, named, text);
    std::ofstream(path_, std::ios::binary) << text;
    bytes_ = text.size();
  }
  ~DataFile() { std::remove(path_.c_str()); }
  DataFile(const DataFile&) = delete;
  DataFile& operator=(const DataFile&) = delete;
  const std::string& path() const { return path_; }
  std::size_t bytes() const { return bytes_; }

 private:
  std::string path_;
  std::size_t bytes_ = 0;
};

// The sum of all values, to compare; negative if reading failed.
double ReadWithSotto(const std::string& path, StreamFormat format, bool named) {
  ExampleReader::Params params{.path = path, .format = format};
  if (!named) params.encoding.features = kFeatures;
  auto reader = ExampleReader::Open(params);
  if (!reader) return -1;
  Round round;
  double sum = 0;
  while (true) {
    const auto more = reader->Next(round);
    if (!more) return -1;
    if (!*more) return sum;
    for (const Feature& feature : round.x) sum += feature.value;
  }
}

// The usual way: lines, a string stream of words, strtod.
double ReadWithStreams(const std::string& path, StreamFormat format) {
  std::ifstream file(path);
  std::string line;
  double sum = 0;
  if (format == StreamFormat::kCsv) std::getline(file, line);
  const bool csv = format == StreamFormat::kCsv;
  while (std::getline(file, line)) {
    if (format == StreamFormat::kJsonl) line = line.substr(line.find('[') + 1);
    std::istringstream words(line);
    std::string word;
    FeatureVector x;
    const char separator = csv || format == StreamFormat::kJsonl ? ',' : ' ';
    while (std::getline(words, word, separator)) {
      const auto colon = word.find(':');
      if (separator == ' ' && colon == std::string::npos) continue;
      const char* number =
          word.c_str() + (colon == std::string::npos ? 0 : colon + 1);
      x.push_back(
          {static_cast<std::uint32_t>(x.size()), std::strtod(number, nullptr)});
    }
    if (csv) x.pop_back();  // the label
    for (const Feature& feature : x) sum += feature.value;
  }
  return sum;
}

void Measure(benchmark::State& state, StreamFormat format, int digits,
             bool named, bool baseline) {
  const DataFile file(format, digits, named);
  const double expected = ReadWithStreams(file.path(), format);
  const double ours = ReadWithSotto(file.path(), format, named);
  // Buckets may collide, and sums then round in another order.
  const double tolerance = named ? 1e-9 * expected : 0;
  if (!(ours >= expected - tolerance && ours <= expected + tolerance)) {
    state.SkipWithError("the reader and the baseline disagree");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(baseline
                                 ? ReadWithStreams(file.path(), format)
                                 : ReadWithSotto(file.path(), format, named));
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(file.bytes()));
}

#define SOTTO_READER(name, format, digits, named)                          \
  BENCHMARK_CAPTURE(Measure, name, format, digits, named, false)           \
      ->Name("read/" #name);                                               \
  BENCHMARK_CAPTURE(Measure, name##_baseline, format, digits, named, true) \
      ->Name("read/" #name "/baseline")

SOTTO_READER(csv_17, StreamFormat::kCsv, 17, false);
SOTTO_READER(csv_4, StreamFormat::kCsv, 4, false);
SOTTO_READER(vw_17, StreamFormat::kVw, 17, false);
SOTTO_READER(vw_4, StreamFormat::kVw, 4, false);
SOTTO_READER(vw_names_4, StreamFormat::kVw, 4, true);
SOTTO_READER(libsvm_17, StreamFormat::kLibsvm, 17, false);
SOTTO_READER(libsvm_4, StreamFormat::kLibsvm, 4, false);
SOTTO_READER(jsonl_17, StreamFormat::kJsonl, 17, false);
SOTTO_READER(jsonl_4, StreamFormat::kJsonl, 4, false);

}  // namespace
}  // namespace sotto

BENCHMARK_MAIN();
