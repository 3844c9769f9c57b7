#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/audit/audit.h"

namespace sotto {

// A mechanism that claims a guarantee it does not have, and the number of games
// in which the auditor must detect this. Tests and benchmarks only: nothing of
// this folder is installed.
struct Mutant {
  std::string name;
  std::string broken;      // the mistake, as text
  std::uint64_t runs = 0;  // per world
  AuditSubject (*make)();
  // The same without the mistake, with the same claim. Null if the mistake is
  // in the distribution itself.
  AuditSubject (*sound)() = nullptr;
};

const std::vector<Mutant>& Mutants();

// The mutants, by the kind of mechanism.
std::vector<Mutant> SparseVectorMutants();
std::vector<Mutant> ReleaseMutants();
std::vector<Mutant> StreamMutants();
std::vector<Mutant> PopMutants();
std::vector<Mutant> TargetMutants();
std::vector<Mutant> SlotMutants();

}  // namespace sotto
