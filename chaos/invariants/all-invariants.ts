import { oddAnswers } from './answers.ts';
import { deceivedClients, gappedEvents } from './events.ts';
import { overlongHolds } from './holds.ts';
import type { Invariant } from './invariant.ts';
import { lastingFaults } from './lasting-faults.ts';
import { brokenLimits } from './limits.ts';
import { deadProcesses } from './processes.ts';
import { forkedHistories, gappedRounds } from './rounds.ts';
import { changedCalls, inventedResults, openCalls, repeatedBookings } from './tool-calls.ts';
import { oddEnds, stuckTurns, wrongEnds } from './turns-end.ts';
import { doubledTurns, lostTurns, refusedTurns } from './turns-there.ts';
import { emptyFaults } from './vacuity.ts';
import { forgedWebhooks, hastyWebhooks, missedWebhooks, oddDeliveries } from './webhooks.ts';

/** What every run is held to. */
export const allInvariants: Invariant[] = [
  { id: 'I1', promise: 'every acknowledged turn is there', check: lostTurns },
  { id: 'I1', promise: 'one key makes one turn', check: doubledTurns },
  { id: 'I1', promise: 'every turn is acknowledged in the end', check: refusedTurns },
  { id: 'I1', promise: 'every turn ends', check: stuckTurns },
  { id: 'I1', promise: 'a turn ends once', check: oddEnds },
  { id: 'I1', promise: 'a turn ends as its script has it', check: wrongEnds },
  { id: 'I2', promise: 'rounds have no gap', check: gappedRounds },
  { id: 'I2', promise: 'the model is shown one past', check: forkedHistories },
  { id: 'I3', promise: 'an at_most_once call is made once at most', check: repeatedBookings },
  { id: 'I4', promise: 'a call is repeated under the same key with the same arguments', check: changedCalls },
  { id: 'I4', promise: 'a result is of a call that was made, and was asked for', check: inventedResults },
  { id: 'I4', promise: 'an ended turn has no open call', check: openCalls },
  { id: 'I5', promise: 'events have no gap', check: gappedEvents },
  { id: 'I5', promise: 'clients see every event once, and the end', check: deceivedClients },
  { id: 'I6', promise: 'the end of a turn is delivered, under one id', check: missedWebhooks },
  { id: 'I6', promise: 'webhooks are signed and known', check: forgedWebhooks },
  { id: 'I6', promise: 'deliveries say what the receiver says', check: oddDeliveries },
  { id: 'I6', promise: 'no attempt comes before its time', check: hastyWebhooks },
  { id: 'I7', promise: 'no hold outlives a lease', check: overlongHolds },
  { id: 'I8', promise: 'limits are kept', check: brokenLimits },
  { id: 'I9', promise: 'the API answers what it declares', check: oddAnswers },
  { id: 'I9', promise: 'no process ends by itself', check: deadProcesses },
  { id: 'I10', promise: 'every fault struck, and met turns under way', check: emptyFaults, isVacuity: true },
  { id: 'I11', promise: 'every fault is overcome in half a minute', check: lastingFaults },
];
