#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/audit/audit.h"

namespace sotto {

// A mechanism that is sold with a guarantee it does not have, and how many
// games the auditor may need to say so. Tests and benchmarks only: nothing of
// this folder is installed.
struct Mutant {
  std::string name;
  std::string broken;      // what was done to it, in a few words
  std::uint64_t runs = 0;  // per world
  AuditSubject (*make)();
  // The same without the mistake, sold with the same guarantee; null if the
  // mistake is in the distribution itself.
  AuditSubject (*sound)() = nullptr;
};

const std::vector<Mutant>& Mutants();

// The rows, by what was broken.
std::vector<Mutant> SparseVectorMutants();
std::vector<Mutant> ReleaseMutants();
std::vector<Mutant> StreamMutants();
std::vector<Mutant> PopMutants();

}  // namespace sotto
