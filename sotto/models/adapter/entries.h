#pragma once

#include "sotto/online/model_entry.h"

// Models of the registry. A model joins by one line here; its folder defines
// the function that the line names, such as TideEntry().

namespace sotto {

struct BatchModelEntry;

// Online models, in the order in which a user should look at them.
#define SOTTO_ONLINE_MODELS(ENTRY) \
  ENTRY(TideEntry)                 \
  ENTRY(LeaderEntry)               \
  ENTRY(PopEntry)                  \
  ENTRY(WinnowEntry)               \
  ENTRY(PointsEntry)               \
  ENTRY(RectanglesEntry)           \
  ENTRY(StumpsEntry)               \
  ENTRY(EverlastingEntry)          \
  ENTRY(LittlestoneEntry)

// Batch models, after the private fits (sotto/models/fits).
#define SOTTO_BATCH_MODELS(ENTRY) ENTRY(LittlestoneErmEntry)

#define SOTTO_DECLARE_ENTRY(name) const OnlineModelEntry& name();
SOTTO_ONLINE_MODELS(SOTTO_DECLARE_ENTRY)
#undef SOTTO_DECLARE_ENTRY

#define SOTTO_DECLARE_ENTRY(name) const BatchModelEntry& name();
SOTTO_BATCH_MODELS(SOTTO_DECLARE_ENTRY)
#undef SOTTO_DECLARE_ENTRY

}  // namespace sotto
