#include "sotto/frontend/line_machine.h"

#include <utility>

#include "sotto/base/bytes.h"
#include "sotto/data/streams/jsonl_rows.h"
#include "sotto/frontend/session_state.h"

namespace sotto {
namespace {

constexpr char kWhole = 0;
constexpr char kCut = 1;

Error Corrupt() { return Corruption("a record of the journal is no line"); }

// The reply without its probability, whose last digits may differ between
// processors.
std::string Comparable(std::string reply) {
  // No id has these bytes: a quote within a text is escaped.
  const std::size_t from = reply.find(",\"probability\":");
  if (from == std::string::npos) return reply;
  return reply.erase(from, reply.find(',', from + 1) - from);
}

}  // namespace

Record LineMachine::Encode(std::string_view line, bool cut) {
  const bool label = line.starts_with(JsonlRows::kLabelStart);
  // Only the kind of a line that is cut counts.
  if (cut) line = line.substr(0, JsonlRows::kLabelStart.size());
  return {label ? RecordType::kLabel : RecordType::kRound,
          (cut ? kCut : kWhole) + std::string(line)};
}

Result<std::optional<std::string>> LineMachine::Answer(
    const RecordView& record) {
  if (session_.halted()) return std::optional<std::string>();
  const std::string_view payload = record.payload;
  if (payload.empty() || payload[0] < kWhole || payload[0] > kCut) {
    return Corrupt();
  }
  SOTTO_TRY_ASSIGN(auto reply,
                   talk_.Answer(payload.substr(1), payload[0] == kCut));
  replies_.Add(Comparable(reply));
  return std::optional(std::move(reply));
}

Status LineMachine::Replay(const RecordView& record) {
  if (record.type != RecordType::kRound && record.type != RecordType::kLabel) {
    return Corrupt();
  }
  SOTTO_TRY(Answer(record));
  ++replayed_;
  return Ok();
}

Result<std::string> LineMachine::Save() const {
  ByteWriter writer;
  const ReplyHash hash = replies_.hash();
  writer.Number(kSessionStateVersion);
  writer.Raw({reinterpret_cast<const char*>(hash.data()), hash.size()});
  SOTTO_TRY(session_.Save(writer));
  return std::move(writer).bytes();
}

Result<LineMachine::State> LineMachine::Read(std::string_view bytes) {
  ByteReader reader(bytes);
  State state;
  if (reader.Number<std::uint32_t>() != kSessionStateVersion) {
    return Corruption("a state of another version");
  }
  const std::string_view hash = reader.Raw(state.replies.size());
  hash.copy(reinterpret_cast<char*>(state.replies.data()), hash.size());
  state.session = std::string(reader.Raw(reader.RoomFor(1)));
  if (reader.failed()) return Corruption("the state is cut short");
  return state;
}

}  // namespace sotto
