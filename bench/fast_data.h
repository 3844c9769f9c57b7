#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <string>

namespace sotto {

// Numbers for streams that must cost less than what is measured on them:
// xorshift*, seeded.
class Fast {
 public:
  explicit Fast(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  // Uniform in [0, 1).
  double Unit() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return std::ldexp(static_cast<double>((state_ * 0x2545f4914f6cdd1d) >> 11),
                      -53);
  }

 private:
  std::uint64_t state_;
};

// What --name=value flags say; a name that is not there yet is added.
using Flags = std::map<std::string, std::string>;
inline bool ReadFlags(int argc, char** argv, Flags& flags) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    if (word.rfind("--", 0) != 0 || equals == std::string::npos) return false;
    flags[word.substr(2, equals - 2)] = word.substr(equals + 1);
  }
  return true;
}

}  // namespace sotto
