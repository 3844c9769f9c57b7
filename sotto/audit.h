#pragma once

// The papers' games, adversaries, and the auditor that plays them against a
// mechanism of yours.
#include "sotto/audit/audit.h"
#include "sotto/audit/audit_report.h"
#include "sotto/audit/duel.h"
#include "sotto/audit/targets.h"
#include "sotto/games/adversaries.h"
#include "sotto/games/coin_game.h"
#include "sotto/games/composition_game.h"
#include "sotto/games/everlasting_game.h"
#include "sotto/games/game.h"
#include "sotto/games/general_game.h"
#include "sotto/games/hard_instance.h"
#include "sotto/games/leakage_adversaries.h"
#include "sotto/games/leakage_game.h"
#include "sotto/games/oblivious.h"
#include "sotto/games/point_learner_adversary.h"
#include "sotto/games/rules.h"
