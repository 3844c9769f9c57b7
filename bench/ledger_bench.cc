// Bytes a user of the ledger at 1e6 users, and the time of hostile names:
// 32,000 that collide in libstdc++'s hash of strings against 32,000 others, in
// the ledger and in a map of names. Times of the processor. One line of JSON.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "sotto/online/user_ledger.h"
#include "sotto/random/key.h"

namespace {

using nlohmann::json;
using sotto::Key;
using sotto::UserLedger;

constexpr std::uint64_t kUsers = 1'000'000;
constexpr std::uint64_t kNames = 32'000;

// Seconds of the processor: other programs do not count.
template <typename Run>
double Seconds(const Run& run) {
  const std::clock_t begin = std::clock();
  run();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

// Names of 16 bytes with one MurmurHash64A: the second word undoes the first.
std::string Colliding(std::uint64_t i) {
  constexpr std::uint64_t kTimes = 0xc6a4a7935bd1e995;
  std::uint64_t inverse = 1;  // of kTimes, by Newton's method
  for (int step = 0; step < 6; ++step) inverse *= 2 - kTimes * inverse;
  const auto mix = [](std::uint64_t k) {
    k *= kTimes;
    return (k ^ k >> 47) * kTimes;
  };
  const auto unmix = [&](std::uint64_t k) {
    k *= inverse;
    return (k ^ k >> 47) * inverse;
  };
  const std::uint64_t start = 0xc70f6907 ^ 16 * kTimes;
  const std::uint64_t words[2] = {i, unmix((start ^ mix(i)) * kTimes)};
  std::string name(sizeof words, '\0');
  std::memcpy(name.data(), words, sizeof words);
  return name;
}

std::vector<std::string> Names(bool colliding) {
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < kNames; ++i) {
    names.push_back(colliding ? Colliding(i)
                              : "ordinary-name-" + std::to_string(i));
  }
  return names;
}

json Hostile(const Key& key, bool colliding) {
  const std::vector<std::string> names = Names(colliding);
  UserLedger ledger(key, 1);
  std::unordered_map<std::string, std::uint64_t> map;
  const double mine = Seconds([&] {
    for (const std::string& name : names) ledger.Admit(name, 0);
  });
  const double maps = Seconds([&] {
    for (const std::string& name : names) ++map[name];
  });
  return {{"users", ledger.users()},
          {"ledger_seconds", mine},
          {"map_of_names_seconds", maps}};
}

json Filled(const Key& key, bool one_phase) {
  UserLedger ledger(key, 1, one_phase);
  const double seconds = Seconds([&] {
    for (std::uint64_t i = 0; i < kUsers; ++i) {
      ledger.Admit("user-" + std::to_string(i), i / 1000);
    }
  });
  return {{"users", ledger.users()},
          {"one_phase", one_phase},
          {"bytes_a_user", static_cast<double>(ledger.bytes()) /
                               static_cast<double>(ledger.users())},
          {"nanoseconds_a_round", 1e9 * seconds / static_cast<double>(kUsers)}};
}

}  // namespace

int main() {
  const auto key = Key::Generate();
  if (!key) return 1;
  const json ordinary = Hostile(*key, false);
  const json colliding = Hostile(*key, true);
  const double ratio = colliding["ledger_seconds"].get<double>() /
                       ordinary["ledger_seconds"].get<double>();
  const json report = {{"filled", {Filled(*key, false), Filled(*key, true)}},
                       {"ordinary", ordinary},
                       {"colliding", colliding},
                       {"colliding_to_ordinary", ratio}};
  std::puts(report.dump().c_str());
  return 0;
}
