#include "saved_run.h"

#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <span>

#include "sotto/session/public_mistakes.h"

namespace sotto::app {

Status CheckSettings(const nlohmann::ordered_json& saved,
                     const nlohmann::ordered_json& asked,
                     const std::set<std::string>& given) {
  for (const auto& [name, value] : asked.items()) {
    if (!saved.contains(name)) {
      return Error{ErrorCode::kCorruption, "malformed settings in the state"};
    }
    if (!given.contains(name) || saved[name] == value) continue;
    return InvalidArgument(
        "--" + name + " " + value.dump() +
        " contradicts the saved state, which was made with " +
        saved[name].dump() + ": leave it out");
  }
  return Ok();
}

std::string_view AsText(const Key& key) {
  return {reinterpret_cast<const char*>(key.bytes().data()), Key::kBytes};
}

Result<Key> ReadKey(ByteReader& reader) {
  const std::string_view text = reader.Text();
  if (text.size() != Key::kBytes) {
    return Error{ErrorCode::kCorruption, "the state holds no whole key"};
  }
  return Key::FromBytes(std::span<const std::byte, Key::kBytes>(
      reinterpret_cast<const std::byte*>(text.data()), Key::kBytes));
}

std::string SchemaPrint(const std::string& path) {
  if (path.empty()) return "";
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::array<std::byte, Key::kBytes> zeros{};
  return std::string(
      AsText(Key::FromBytes(zeros).Derive("schema-v1", "print", {text})));
}

Result<RunShares> SharesOf(const RunFlags& flags) {
  const ApproximateDp whole{flags.pop.epsilon, flags.pop.delta};
  if (!flags.public_only) return RunShares{whole, std::nullopt};
  if (flags.pop.rounds_per_user > 1) {
    return InvalidArgument(
        "--public is for users with one round each, not for "
        "--rounds-per-user above 1");
  }
  if (flags.compare) {
    return InvalidArgument(
        "--compare shows exact mistakes, which --public must not");
  }
  const auto shares = ShareWithMistakes(whole);
  if (!shares) return shares.error();
  return RunShares{shares->model, shares->mistakes};
}

}  // namespace sotto::app
