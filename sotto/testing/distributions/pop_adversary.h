#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto {

// A label: 0, 1, or a function of the answer to its user.
enum class PopLabel : std::int8_t { kNever, kZero, kOne, kAnswer, kOpposite };

// Data of a user. The adversary chooses when a delayed label arrives, if ever.
struct PopInput {
  static constexpr int kAbsent = -1;
  int point = kAbsent;
  PopLabel label = PopLabel::kNever;
  bool late = false;
};

// One round: its user, in world P and in world Q, equal unless it is hidden.
struct PopMove {
  std::array<PopInput, 2> input;
  bool hidden = false;
  int slot = 0;                         // The copy, where he chooses it.
  PopLabel arrives = PopLabel::kNever;  // For the waiting user, before it.
  std::array<bool, 2> releases = {};    // The hidden label, by world, before.

  bool HasLabel() const {
    return input[0].label != PopLabel::kNever ||
           input[1].label != PopLabel::kNever;
  }
};

// Public state that the rules need.
struct PopContext {
  bool challenged = false;
  int rounds = 0;  // Played.
  int phase = 0;
  int carrier = 0;       // Generation of the hidden round's copy,
  bool settled = false;  // which is gone: both worlds agree from now on.
  bool waits = false;    // A user's label is out.
  std::array<bool, 2> withheld = {};  // The hidden one, by world.
  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14.
  auto operator<=>(const PopContext&) const = default;

  // The worlds agree again when `generation`, counted from the answering one,
  // is gone. It holds the copy that the round may teach.
  PopContext After(const PopMove& move, bool halted, int generation) const {
    PopContext next = *this;
    next.challenged = challenged || move.hidden;
    next.rounds = rounds + 1;
    if (move.hidden) next.carrier = generation;
    if (halted) {
      ++next.phase;
      next.settled = next.challenged && next.carrier-- == 0;
    }
    if (move.arrives != PopLabel::kNever) next.waits = false;
    if (!move.hidden && move.input[0].late) next.waits = true;
    for (std::size_t w = 0; w < 2; ++w) {
      if (move.releases[w]) next.withheld[w] = false;
      if (move.hidden) next.withheld[w] = move.input[w].late;
    }
    return next;
  }
};

// The family of all adaptive adversaries within these limits.
struct PopAdversary {
  bool teaches = true;        // Users other than the challenge bring labels.
  bool delays = false;        // Labels, the hidden one too, may come late.
  bool answers_back = false;  // The hidden label may depend on its answer.
  int rounds_before = 1000;   // Maximum before the hidden round.
  std::vector<std::array<PopInput, 2>> pairs = {};  // All, if empty.

  // `slots` is the number of copies to choose from, 0 without a choice; `left`
  // is the number of rounds left, this one included. A label in the last round,
  // or a delayed one in the last but one, gains nothing and is omitted.
  std::vector<PopMove> Moves(const PopContext& context, int points, int slots,
                             int left) const {
    std::vector<PopMove> moves;
    const bool must = !context.challenged && context.rounds >= rounds_before;
    for (const PopInput& input :
         must ? std::vector<PopInput>{} : Users(context, points, left)) {
      AddArrivals(context, {.input = {input, input}}, slots, moves);
    }
    if (context.challenged) return moves;
    for (const auto& pair : pairs.empty() ? Pairs(points, left) : pairs) {
      AddSlots({.input = pair, .hidden = true}, slots, moves);
    }
    return moves;
  }

 private:
  std::vector<PopInput> Users(const PopContext& context, int points,
                              int left) const {
    std::vector<PopInput> users;
    for (int x = 0; x < points; ++x) {
      users.push_back({x, PopLabel::kNever});
      if (!teaches || left < 2) continue;
      users.push_back({x, PopLabel::kZero});
      users.push_back({x, PopLabel::kOne});
      if (delays && !context.waits && left > 2)
        users.push_back({x, PopLabel::kOne, true});
    }
    return users;
  }
  std::vector<std::array<PopInput, 2>> Pairs(int points, int left) const {
    const std::vector<PopInput> inputs = Challenges(points, left);
    std::vector<std::array<PopInput, 2>> all;
    for (std::size_t p = 0; p < inputs.size(); ++p) {
      for (std::size_t q = 0; q < inputs.size(); ++q) {
        if (p != q) all.push_back({inputs[p], inputs[q]});
      }
    }
    return all;
  }
  std::vector<PopInput> Challenges(int points, int left) const {
    std::vector<PopInput> inputs = {PopInput{}};
    for (int x = 0; x < points; ++x) {
      inputs.push_back({x, PopLabel::kNever});
      for (PopLabel label : Labels()) {
        if (left > 1) inputs.push_back({x, label});
        if (left > 2 && delays) inputs.push_back({x, label, true});
      }
    }
    return inputs;
  }

  std::vector<PopLabel> Labels() const {
    std::vector<PopLabel> labels = {PopLabel::kZero, PopLabel::kOne};
    if (!answers_back) return labels;
    labels.insert(labels.end(), {PopLabel::kAnswer, PopLabel::kOpposite});
    return labels;
  }

  static void AddArrivals(const PopContext& context, const PopMove& move,
                          int slots, std::vector<PopMove>& moves) {
    for (PopLabel arrives :
         {PopLabel::kNever, PopLabel::kZero, PopLabel::kOne}) {
      if (arrives != PopLabel::kNever && !context.waits) break;
      for (unsigned mask = 0; mask < 4; ++mask) {
        PopMove with = move;
        with.arrives = arrives;
        with.releases = {(mask & 1U) != 0, (mask & 2U) != 0};
        if (with.releases[0] && !context.withheld[0]) continue;
        if (with.releases[1] && !context.withheld[1]) continue;
        AddSlots(with, slots, moves);
      }
    }
  }
  static void AddSlots(PopMove move, int slots, std::vector<PopMove>& moves) {
    const int choices = move.HasLabel() && slots > 0 ? slots : 1;
    for (move.slot = 0; move.slot < choices; ++move.slot) {
      moves.push_back(move);
    }
  }
};

}  // namespace sotto
