#include "sotto/service/model_machine.h"

#include <algorithm>
#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/base/json.h"

namespace sotto {
namespace {

constexpr std::uint32_t kLayout = 1;

std::string_view View(const KeyId& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

std::string Hex(std::string_view bytes) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += kDigits[static_cast<unsigned char>(byte) >> 4];
    text += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return text;
}

// A MODEL record, read.
struct ModelRecord {
  ModelConfiguration configuration;
  std::uint32_t semantics = 0;
  std::uint64_t rows = 0;
  std::string key;
};

Error Corrupt() { return Corruption("the MODEL record makes no sense"); }

Result<ModelRecord> ReadModelRecord(std::string_view payload) {
  SOTTO_TRY_ASSIGN(const auto json, Json::Parse(payload));
  const Json* const configuration = json.Find("configuration");
  const Json* const semantics = json.Find("semantics");
  const Json* const rows = json.Find("rows");
  const Json* const key = json.Find("key");
  if (configuration == nullptr || semantics == nullptr || rows == nullptr ||
      key == nullptr || !semantics->natural() || !rows->natural() ||
      key->text() == nullptr) {
    return Corrupt();
  }
  SOTTO_TRY_ASSIGN(auto read, ModelConfiguration::Parse(*configuration));
  return ModelRecord{std::move(read),
                     static_cast<std::uint32_t>(*semantics->natural()),
                     *rows->natural(), *key->text()};
}

}  // namespace

ModelMachine::ModelMachine(std::vector<Key> roots, const Lineage& lineage) {
  for (const Key& root : roots) {
    keys_.push_back(JournalKeys::Derive(root, lineage));
  }
}

Result<std::vector<Record>> ModelMachine::MakeRecords(
    const ModelConfiguration& configuration) const {
  SOTTO_TRY_ASSIGN(const auto semantics, ServedModel::Semantics(configuration));
  SOTTO_TRY_ASSIGN(auto records,
                   ServedModel::ReadTrainingRows(configuration, keys_.back()));
  const Json model = Json::Object{{"configuration", configuration.ToJson()},
                                  {"semantics", semantics},
                                  {"rows", records.size()},
                                  {"key", Hex(View(keys_.back().sealing_id))}};
  records.push_back({RecordType::kModel, model.Dump()});
  return records;
}

Record ModelMachine::MakeKeyRecord() const {
  return {RecordType::kKey, std::string(View(keys_.back().sealing_id))};
}

const JournalKeys* ModelMachine::FindKeys(std::string_view id) const {
  const auto found = std::ranges::find_if(keys_, [&](const JournalKeys& keys) {
    return View(keys.sealing_id) == id;
  });
  return found == keys_.end() ? nullptr : &*found;
}

Status ModelMachine::Replay(const RecordView& record) {
  switch (record.type) {
    case RecordType::kModel:
      return MakeModel(record.payload);
    case RecordType::kTrain:
      training_rows_.emplace_back(record.payload);
      return Ok();
    case RecordType::kKey:
      return RotateKey(record.payload);
    case RecordType::kRollback:
      retired_ = std::string(record.payload);
      return Ok();
    case RecordType::kRound:
    case RecordType::kLabel:
    case RecordType::kAdd:
      break;
    case RecordType::kClaim:
    case RecordType::kSnapshot:
      return Ok();
  }
  if (model_ == nullptr) return Corruption("a record before MODEL");
  return model_->Replay(record);
}

// The last rows before MODEL are its training set: earlier ones belong to a
// creation that was interrupted.
Status ModelMachine::MakeModel(std::string_view payload) {
  SOTTO_TRY_ASSIGN(auto record, ReadModelRecord(payload));
  if (model_ != nullptr || record.rows > training_rows_.size()) {
    return Corrupt();
  }
  SOTTO_TRY_ASSIGN(const auto semantics,
                   ServedModel::Semantics(record.configuration));
  if (semantics != record.semantics) {
    return FailedPrecondition(
        "this version of Sotto answers differently from the one that wrote the "
        "journal. Start the earlier version once more and drain it: the next "
        "one can continue from its snapshot");
  }
  const auto first = std::ranges::find_if(keys_, [&](const JournalKeys& keys) {
    return Hex(View(keys.sealing_id)) == record.key;
  });
  if (first == keys_.end()) {
    return FailedPrecondition(
        "the key that the model was made with is missing");
  }
  const std::span<const std::string> rows(training_rows_);
  SOTTO_TRY_ASSIGN(auto model, ServedModel::Create(record.configuration, *first,
                                                   rows.last(record.rows)));
  model_ = std::move(model);
  configuration_ = std::move(record.configuration);
  semantics_ = semantics;
  training_rows_.clear();
  training_rows_.shrink_to_fit();
  return Ok();
}

Status ModelMachine::RotateKey(std::string_view payload) {
  const JournalKeys* const keys = FindKeys(payload);
  if (keys == nullptr || model_ == nullptr) {
    return FailedPrecondition("the journal was continued under another key");
  }
  model_->Rotate(*keys);
  return Ok();
}

ReplyHash ModelMachine::replies() const {
  return model_ == nullptr ? ReplyHash{} : model_->replies();
}

Result<std::string> ModelMachine::Save() {
  ByteWriter model;
  SOTTO_TRY(model_->Save(model));
  ByteWriter writer;
  writer.Number(kLayout);
  writer.Text(configuration_->ToJson().Dump());
  writer.Number(semantics_);
  writer.Text(retired_);
  writer.Text(model.bytes());
  return std::move(writer).bytes();
}

Status ModelMachine::Load(std::string_view state) {
  ByteReader reader(state);
  const auto layout = reader.Number<std::uint32_t>();
  const auto text = reader.Text();
  semantics_ = reader.Number<std::uint32_t>();
  retired_ = std::string(reader.Text());
  const auto model = reader.Text();
  SOTTO_TRY(reader.Finish());
  if (layout != kLayout) return Corruption("a snapshot of an unknown layout");
  SOTTO_TRY_ASSIGN(const auto json, Json::Parse(text));
  SOTTO_TRY_ASSIGN(configuration_, ModelConfiguration::Parse(json));
  SOTTO_TRY_ASSIGN(model_, ServedModel::Load(*configuration_, model));
  return Ok();
}

Result<bool> ModelMachine::FromOtherSemantics() const {
  if (model_ == nullptr) return false;
  SOTTO_TRY_ASSIGN(const auto mine, ServedModel::Semantics(*configuration_));
  return mine != semantics_;
}

Status ModelMachine::AdoptSemantics() {
  SOTTO_TRY_ASSIGN(semantics_, ServedModel::Semantics(*configuration_));
  JournalKeys keys = keys_.back();
  keys.noise = keys.noise.Derive("semantics-v1", "noise", {semantics_});
  model_->Rotate(keys);
  return Ok();
}

}  // namespace sotto
