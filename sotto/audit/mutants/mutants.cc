#include "sotto/audit/mutants/mutant.h"

namespace sotto {

const std::vector<Mutant>& Mutants() {
  static const std::vector<Mutant> kAll = [] {
    std::vector<Mutant> all;
    for (const auto& rows :
         {SparseVectorMutants(), ReleaseMutants(), StreamMutants(),
          PopMutants(), TargetMutants(), SlotMutants()}) {
      all.insert(all.end(), rows.begin(), rows.end());
    }
    return all;
  }();
  return kAll;
}

}  // namespace sotto
