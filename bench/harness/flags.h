#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sotto::bench {

// Command line of a benchmark: --name=value, --name for a switch, and words.
//
//   const Flags flags(argc, argv, {{"seeds", "10"}, {"no-pop", ""}});
//   for (std::uint64_t s = 1; s <= flags.Count("seeds"); ++s) ...
//   if (!flags.On("no-pop")) ...
//
// Threads: immutable.
class Flags {
 public:
  using Defaults = std::map<std::string, std::string>;

  // Prints the known flags and exits with status 2 on an unknown one. Ignores
  // --benchmark_..., which bench/run.sh passes to every benchmark.
  Flags(int argc, char** argv, Defaults defaults);

  // All take a name of the defaults. A value that is not a number, where one
  // is needed, exits with status 2.
  const std::string& Text(const std::string& name) const;
  double Number(const std::string& name) const;
  std::uint64_t Count(const std::string& name) const;  // 1e6 is accepted
  bool On(const std::string& name) const;
  std::vector<std::string> List(const std::string& name) const;  // a,b,c
  std::vector<double> Numbers(const std::string& name) const;
  // Returns true if the list contains `item` or is empty.
  bool Wants(const std::string& name, const std::string& item) const;

  // Arguments that are not flags.
  const std::vector<std::string>& words() const { return words_; }

 private:
  Defaults values_;
  std::vector<std::string> words_;
};

std::vector<std::string> Split(const std::string& text, char separator);

}  // namespace sotto::bench
