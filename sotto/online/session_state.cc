#include <utility>

#include "sotto/online/public_mistakes.h"
#include "sotto/online/session.h"

// How a session is written down; the layout is docs/formats/state.md.
namespace sotto {
namespace {

// Layout 1 held names in the clear and is refused. Layout 2 ends before the
// counts of RunStats::SaveLater.
constexpr std::uint32_t kLayout = 3;
constexpr std::uint32_t kOldestLayout = 2;

Error Corrupt(const char* what) {
  return Corruption(std::string("the saved session ") + what);
}

// Tells two encodings apart, also for those who do not say `print`.
std::string Fingerprint(const InputSpec& inputs) {
  ByteWriter writer;
  writer.Text(inputs.print);
  writer.Number(inputs.features);
  writer.Number(static_cast<std::uint8_t>(inputs.label.kind));
  writer.Real(inputs.label.low);
  writer.Real(inputs.label.high);
  for (const std::string& name : inputs.label.names) writer.Text(name);
  return std::move(writer).bytes();
}

struct Opening {
  std::uint32_t layout = kLayout;
  Session::Head head;
  std::string print;
};

Result<Opening> ReadOpening(ByteReader& reader) {
  const auto layout = reader.Number<std::uint32_t>();
  if (layout == 1) {
    return FailedPrecondition(
        "the state is from Sotto 0.1 (layout 1), which kept users' names in "
        "the clear; this version cannot resume it. Finish that run with the "
        "version that saved it, or start a new one");
  }
  if (layout < kOldestLayout || layout > kLayout) {
    return Corrupt("has a layout that this version does not know");
  }
  Opening opening;
  opening.layout = layout;
  opening.head.model = std::string(reader.Text());
  auto settings = Json::Parse(reader.Text());
  opening.print = std::string(reader.Text());
  if (reader.failed() || !settings || settings->object() == nullptr) {
    return Corrupt("has malformed settings");
  }
  opening.head.settings = *std::move(settings);
  return opening;
}

}  // namespace

Status Session::Save(ByteWriter& writer) {
  SOTTO_TRY(CheckTrained());
  writer.Number(kLayout);
  writer.Text(entry_->name);
  writer.Text(settings_.ToSavedJson().Dump());
  writer.Text(Fingerprint(inputs_));
  writer.Number(static_cast<std::uint8_t>(seeded_ ? 1 : 0));
  writer.Number(static_cast<std::uint8_t>(use_));
  name_key_.Save(writer);
  ticket_key_.Save(writer);
  history_.Save(writer);
  stats_.Save(writer);
  if (public_mistakes_) public_mistakes_->Save(writer);
  if (comparison_) {
    ByteWriter plain;
    comparison_->Save(plain);
    writer.Text(plain.bytes());
  }
  SOTTO_TRY(model_->Save(writer));
  ledger_.Save(writer);
  delayed_.Save(writer);
  ticketed_.Save(writer);
  stats_.SaveLater(writer);
  if (comparison_) comparison_->SaveLater(writer);
  return Ok();
}

Result<Session::Head> Session::ReadHead(std::string_view state) {
  ByteReader reader(state);
  SOTTO_TRY_ASSIGN(auto opening, ReadOpening(reader));
  Head head = std::move(opening.head);
  head.seeded = reader.Number<std::uint8_t>() != 0;
  static_cast<void>(reader.Number<std::uint8_t>());  // how it was used last
  SOTTO_TRY(Key::Load(reader));                      // of names
  SOTTO_TRY(Key::Load(reader));                      // of tickets
  SOTTO_TRY_ASSIGN(const auto history, NoiseHistory::Load(reader));
  head.rounds = history.rounds();
  return head;
}

Result<std::unique_ptr<Session>> Session::Load(const OnlineModelEntry& entry,
                                               Settings settings,
                                               InputSpec inputs,
                                               std::string_view state) {
  ByteReader reader(state);
  SOTTO_TRY_ASSIGN(const auto opening, ReadOpening(reader));
  if (opening.head.model != entry.name) return Corrupt("is of another model");
  if (opening.head.settings != settings.ToSavedJson()) {
    return FailedPrecondition("the settings are not those of the state");
  }
  if (opening.print != Fingerprint(inputs)) {
    return InvalidArgument(
        "the state was made for other columns, another schema or another "
        "label than this stream has: a state keeps no files, so give the same "
        "--schema again");
  }
  const auto seeded = reader.Number<std::uint8_t>();
  const auto use = reader.Number<std::uint8_t>();
  SOTTO_TRY_ASSIGN(const auto names, Key::Load(reader));
  SOTTO_TRY_ASSIGN(const auto tickets, Key::Load(reader));
  SOTTO_TRY_ASSIGN(auto history, NoiseHistory::Load(reader));
  SOTTO_TRY_ASSIGN(const auto split, SplitBudget(settings, inputs.label));
  if (seeded > 1 || use > static_cast<std::uint8_t>(Use::kTickets)) {
    return Corrupt("makes no sense");
  }
  std::unique_ptr<Session> session(
      new Session(entry, std::move(settings), std::move(inputs), split,
                  std::move(history), names, tickets));
  session->seeded_ = seeded != 0;
  session->use_ = static_cast<Use>(use);
  SOTTO_TRY(session->LoadParts(reader));
  if (opening.layout > kOldestLayout) {
    SOTTO_TRY(session->stats_.LoadLater(reader, session->inputs_.label));
    if (session->comparison_) {
      SOTTO_TRY(session->comparison_->LoadLater(reader));
    }
  }
  SOTTO_TRY(reader.Finish());
  return session;
}

Status Session::LoadParts(ByteReader& reader) {
  SOTTO_TRY_ASSIGN(auto stats, RunStats::Load(reader, inputs_.label));
  stats_ = std::move(stats);
  if (stats_.now.rounds != history_.rounds()) {
    return Corrupt("does not agree about its rounds");
  }
  if (split_.mistakes) {
    SOTTO_TRY_ASSIGN(auto counted,
                     PublicMistakes::Load(*split_.mistakes,
                                          settings_.GetInt("horizon"), reader));
    public_mistakes_ = std::make_unique<PublicMistakes>(std::move(counted));
  }
  std::string comparison;
  // The learner without privacy is made by Finish, but written before the
  // model.
  if (settings_.Flag("compare")) comparison = std::string(reader.Text());
  SOTTO_TRY_ASSIGN(auto model,
                   entry_->load({settings_, inputs_, split_.model}, reader));
  SOTTO_TRY(Finish(std::move(model)));
  if (comparison_) {
    ByteReader plain(comparison);
    SOTTO_TRY(comparison_->Load(plain));
    SOTTO_TRY(plain.Finish());
  }
  SOTTO_TRY(ledger_.Load(reader));
  const OpenRoundLimits limits{inputs_.label, history_.rounds()};
  SOTTO_TRY(delayed_.Load(*model_, limits, reader));
  return ticketed_.Load(*model_, limits, reader);
}

}  // namespace sotto
