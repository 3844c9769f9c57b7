#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sotto/base/result.h"
#include "sotto/durable/journaled.h"
#include "sotto/journal/journal_keys.h"
#include "sotto/random/key.h"
#include "sotto/service/model_configuration.h"
#include "sotto/service/served_model.h"

namespace sotto {

// A model and everything its journal says of it: MODEL and TRAIN make it, KEY
// rotates its keys, ROLLBACK retires it, the rest are its own records.
//
//   ModelMachine machine(roots, journal->lineage());
//   if (snapshot) machine.Load(snapshot->state);
//   auto journaled = Journaled::Resume(std::move(journal), machine, ...);
//   machine.model()->Prepare(...)
//
// Threads: not thread-safe.
class ModelMachine final : public Replayable {
 public:
  // `roots` of key files, the newest last.
  ModelMachine(std::vector<Key> roots, const Lineage& lineage);

  // The records that make this model; apply them by Replay. Fails as
  // ServedModel does.
  Result<std::vector<Record>> MakeRecords(
      const ModelConfiguration& configuration) const;
  // The record that continues under the newest root.
  Record MakeKeyRecord() const;

  Status Replay(const RecordView& record) override;
  ReplyHash replies() const override;

  // The whole state, for a snapshot. Requires a model.
  Result<std::string> Save();
  // Fails with kCorruption, and as ServedModel::Load does.
  Status Load(std::string_view state);

  // Null before MODEL.
  ServedModel* model() const { return model_.get(); }
  const ModelConfiguration& configuration() const { return *configuration_; }
  // Why the lineage was retired; empty: it was not.
  const std::string& retired() const { return retired_; }

  // True if the state was made by a program whose model behaves differently.
  Result<bool> FromOtherSemantics() const;
  // Continues such a state: the number becomes part of the noise history.
  // Requires that no record was made since the state. Keep a snapshot at once.
  Status AdoptSemantics();

 private:
  Status MakeModel(std::string_view payload);
  Status RotateKey(std::string_view payload);
  const JournalKeys* FindKeys(std::string_view id) const;

  std::vector<JournalKeys> keys_;
  std::optional<ModelConfiguration> configuration_{};
  std::uint32_t semantics_ = 0;
  std::vector<std::string> training_rows_{};
  std::unique_ptr<ServedModel> model_{};
  std::string retired_{};
};

}  // namespace sotto
