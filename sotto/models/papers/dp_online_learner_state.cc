#include "sotto/learners/classes/class_file.h"
#include "sotto/models/papers/class_state.h"
#include "sotto/models/papers/dp_online_learner.h"

namespace sotto {
namespace {

ClassDigest ComputeDigest(const DpOnlineLearner::Params& p) {
  ByteWriter writer;
  writer.Text(CompactClass(*p.functions));
  for (const double number :
       {p.user.epsilon, p.user.delta, p.tolerance, p.mistake_rate, p.agreement,
        p.sample_rate, p.sample_delta}) {
    writer.Real(number);
  }
  writer.Number(static_cast<std::uint8_t>(p.relation));
  writer.Number(static_cast<std::uint8_t>(p.form));
  for (const std::uint64_t number :
       {p.rounds_per_user, p.delay, static_cast<std::uint64_t>(p.dimension),
        p.teachers, p.p, p.stages, std::uint64_t{p.list_size},
        static_cast<std::uint64_t>(p.limit), p.period, p.calls, p.votes,
        static_cast<std::uint64_t>(p.threshold)}) {
    writer.Number(number);
  }
  return ComputeDigest("dp-online-v2", writer);
}

void SaveRows(const TeacherRows& rows, ByteWriter& writer) {
  writer.Number(std::uint64_t{rows.size()});
  for (const auto& [point, label] : rows) {
    writer.Number(point);
    writer.Number(static_cast<std::uint8_t>(label ? 1 : 0));
  }
}

bool LoadRows(ByteReader& reader, std::size_t points, TeacherRows& rows) {
  const auto count = reader.Number<std::uint64_t>();
  if (count > reader.RoomFor(5)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto point = reader.Number<std::uint32_t>();
    const auto label = reader.Number<std::uint8_t>();
    if (point >= points || label > 1) return false;
    rows.emplace_back(point, label == 1);
  }
  return true;
}

void SaveLabels(const TeacherLists::Labels& labels, ByteWriter& writer) {
  for (const bool label : labels) {
    writer.Number(static_cast<std::uint8_t>(label ? 1 : 0));
  }
}

}  // namespace

void DpOnlineLearner::Save(ByteWriter& writer) const {
  for (const std::uint64_t word : ComputeDigest(params_)) writer.Number(word);
  writer.Number(waiting_.clock());
  writer.Number(static_cast<std::uint8_t>(begun_ ? 1 : 0));
  writer.Number(changes_);
  writer.Number(stage_);
  writer.Number(std::uint64_t{drawn_.size()});
  for (const auto& labels : drawn_) SaveLabels(labels, writer);
  waiting_.Save(writer);
  for (const auto& handed : handed_) {
    for (const TeacherRows& rows : handed) SaveRows(rows, writer);
  }
  TeacherRows open;
  for (const Mistake& mistake : mistakes_) {
    open.emplace_back(mistake.point, mistake.label);
  }
  SaveRows(open, writer);
  for (const Mistake& mistake : mistakes_) {
    writer.Number(std::uint64_t{mistake.teacher});
  }
  agreement_.Save(writer);
  mistake_test_.Save(writer);
}

bool DpOnlineLearner::LoadSecrets(ByteReader& reader) {
  const std::size_t points = params_.functions->points();
  if (!waiting_.Load(reader, points)) return false;
  // Before anything is made for them.
  if (params_.teachers * changes_ > reader.RoomFor(8)) return false;
  for (auto& handed : handed_) {
    handed.resize(changes_);
    for (TeacherRows& rows : handed) {
      if (!LoadRows(reader, points, rows)) return false;
    }
  }
  TeacherRows open;
  if (!LoadRows(reader, points, open)) return false;
  for (const auto& [point, label] : open) {
    const auto teacher = reader.Number<std::uint64_t>();
    if (teacher >= params_.teachers) return false;
    mistakes_.push_back({point, label, teacher});
  }
  return !reader.failed();
}

Result<DpOnlineLearner> DpOnlineLearner::Load(Params params,
                                              ByteReader& reader) {
  SOTTO_TRY_ASSIGN(auto learner, Create(std::move(params)));
  SOTTO_TRY(CheckDigest(ComputeDigest(learner.params_), reader));
  learner.waiting_.SetClock(reader.Number<std::uint64_t>());
  learner.begun_ = reader.Number<std::uint8_t>() != 0;
  learner.changes_ = reader.Number<std::uint64_t>();
  learner.stage_ = reader.Number<std::uint64_t>();
  const auto drawn = reader.Number<std::uint64_t>();
  const Params& p = learner.params_;
  if (learner.changes_ > p.calls || learner.stage_ < 1 ||
      learner.stage_ > p.stages + 1 || drawn > p.votes ||
      drawn > reader.RoomFor(p.functions->points())) {
    return DamagedClassState();
  }
  for (std::uint64_t v = 0; v < drawn; ++v) {
    TeacherLists::Labels labels(p.functions->points());
    for (std::size_t x = 0; x < labels.size(); ++x) {
      labels[x] = reader.Number<std::uint8_t>() != 0;
    }
    learner.drawn_.push_back(std::move(labels));
  }
  learner.Publish();
  if (!learner.LoadSecrets(reader)) return DamagedClassState();
  auto agreement =
      MultiAboveThreshold::Load(MakeAgreementParams(learner.params_), reader);
  if (!agreement) return DamagedClassState();
  learner.agreement_ = *std::move(agreement);
  auto mistakes =
      MultiAboveThreshold::Load(MakeMistakeParams(learner.params_), reader);
  if (!mistakes || reader.failed()) return DamagedClassState();
  learner.mistake_test_ = *std::move(mistakes);
  return learner;
}

}  // namespace sotto
