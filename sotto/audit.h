#pragma once

// The papers' games, adversaries, and the auditor that plays them against your
// mechanism.
#include "sotto/audit/audit.h"
#include "sotto/audit/audit_report.h"
#include "sotto/audit/game_pair.h"
#include "sotto/audit/games/adversaries.h"
#include "sotto/audit/games/coin_game.h"
#include "sotto/audit/games/composition_game.h"
#include "sotto/audit/games/everlasting_game.h"
#include "sotto/audit/games/game.h"
#include "sotto/audit/games/general_game.h"
#include "sotto/audit/games/hard_instance.h"
#include "sotto/audit/games/leakage_adversaries.h"
#include "sotto/audit/games/leakage_game.h"
#include "sotto/audit/games/oblivious.h"
#include "sotto/audit/games/point_learner_adversary.h"
#include "sotto/audit/games/rules.h"
#include "sotto/audit/targets.h"
