#include "sotto/frontend/line_ranks.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "sotto/data/streams/line_io.h"

namespace sotto {
namespace {

// Under a random salt, so that a state confirms no guess of the data.
Key Fingerprint(const Key& salt, const std::vector<double>& data) {
  return salt.Derive("data-v1", "fingerprint",
                     {std::as_bytes(std::span(data))});
}

std::string_view AsText(const Key& key) {
  return {reinterpret_cast<const char*>(key.bytes().data()), Key::kBytes};
}

}  // namespace

Result<std::vector<double>> ReadNumbers(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return InvalidArgument("cannot open " + path + ": " + std::strerror(errno));
  }
  LineReader reader(fd, [](const StillWaits&) { return Ok(); });
  std::vector<double> numbers;
  std::optional<Error> problem;
  while (const auto line = reader.Next()) {
    const auto number = ParseReal(*line);
    if (!number) {
      // A record is not quoted: the operator finds it by its line.
      problem = InvalidArgument(path + ", line " +
                                std::to_string(reader.line_number()) +
                                ": expected a finite number");
      break;
    }
    numbers.push_back(*number);
  }
  ::close(fd);
  if (problem) return *problem;
  if (!reader.status()) {
    return InvalidArgument(path + ": " + reader.status().error().message);
  }
  return numbers;
}

Result<LineRanks> LineRanks::Create(const OnlineThresholds::Params& params,
                                    std::vector<double> data, HistoryRng& rng) {
  SOTTO_TRY_ASSIGN(const auto salt, Key::Generate());
  const Key fingerprint = Fingerprint(salt, data);
  rng.Absorb(0);
  SOTTO_TRY_ASSIGN(auto thresholds,
                   OnlineThresholds::Create(params, std::move(data), rng));
  return LineRanks{std::move(thresholds), salt, fingerprint};
}

Result<LineRanks> LineRanks::Load(const OnlineThresholds::Params& params,
                                  std::vector<double> data,
                                  std::string_view saved) {
  ByteReader reader(saved);
  const std::string_view salt_bytes = reader.Text();
  const std::string_view fingerprint_bytes = reader.Text();
  if (salt_bytes.size() != Key::kBytes) {
    return Corruption("malformed state");
  }
  const Key salt = Key::FromBytes(std::span<const std::byte, Key::kBytes>(
      reinterpret_cast<const std::byte*>(salt_bytes.data()), Key::kBytes));
  const Key fingerprint = Fingerprint(salt, data);
  if (AsText(fingerprint) != fingerprint_bytes) {
    return InvalidArgument(
        "--data does not hold the numbers, in the order, "
        "that the state was made with");
  }
  auto thresholds = OnlineThresholds::Load(params, std::move(data), reader);
  if (!thresholds) {
    return Corruption(thresholds.error().message);
  }
  SOTTO_TRY(reader.Finish());
  return LineRanks{*std::move(thresholds), salt, fingerprint};
}

void LineRanks::Save(ByteWriter& writer) const {
  writer.Text(AsText(salt));
  writer.Text(AsText(fingerprint));
  thresholds.Save(writer);
}

}  // namespace sotto
