#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/durable/reply_chain.h"
#include "sotto/mechanisms/ranks/online_thresholds.h"
#include "sotto/random/history_rng.h"
#include "sotto/service/repeat_table.h"
#include "sotto/service/served_model.h"

namespace sotto {

// Private ranks behind a host: how many of the numbers of a training set are
// less than x. A prediction is a query and leaves no ticket:
//
//   {"x":37.5} -> {"prediction":1204,"error":88}
//
// The numbers are TRAIN records and part of every snapshot; queries are public.
//
// Guarantee: that of OnlineThresholds, for one number of the training set.
// Proof:     host.md, step 11.
// Threads:   not thread-safe.
class QuantileServed final : public ServedModel {
 public:
  static bool Is(std::string_view model);
  static Result<std::unique_ptr<ServedModel>> Create(
      const ModelConfiguration& configuration, const JournalKeys& keys,
      std::span<const std::string> training_rows);
  static Result<std::unique_ptr<ServedModel>> Load(
      const ModelConfiguration& configuration, std::string_view state);
  static Result<std::vector<Record>> ReadTrainingRows(
      const ModelConfiguration& configuration);
  static Result<Guarantee> Check(const ModelConfiguration& configuration);

  ServedStep Prepare(const HostRequest& request) override;
  Result<HostReply> Apply(ServedStep& step) override;
  Status Replay(const RecordView& record) override;
  ReplyHash replies() const override { return replies_.hash(); }
  Status Save(ByteWriter& writer) override;
  void Rotate(const JournalKeys& fresh) override;

  const Guarantee& guarantee() const override { return guarantee_; }
  bool halted() const override { return ranks_.queries() >= ranks_.horizon(); }
  std::uint64_t rounds() const override { return rounds_; }
  std::uint64_t phase() const override { return 0; }
  std::size_t longest_body() const override;
  Json Describe() const override;
  std::optional<std::string> Hypothesis() const override {
    return std::nullopt;
  }
  std::optional<std::string> Estimate() const override { return std::nullopt; }

 private:
  QuantileServed(std::vector<double> data, OnlineThresholds ranks,
                 Guarantee guarantee, const Key& names, const Key& noise);

  static Result<Settings> ReadSettings(const ModelConfiguration& configuration);
  // The point of a query; absent: the request has none.
  static std::optional<double> ReadQuery(const HostRequest& request);
  Result<HostReply> Answer(const RoundRecord& record);

  std::vector<double> data_;
  OnlineThresholds ranks_;
  Guarantee guarantee_;
  Key names_;  // root of the next
  Key repeat_key_;
  std::unique_ptr<HistoryRng> rng_;
  RepeatTable repeats_;
  ReplyChain replies_{};
  std::uint64_t rounds_ = 0;
};

}  // namespace sotto
