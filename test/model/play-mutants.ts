import { admissionGuards } from './admission/admission-guards.ts';
import { admissionModel } from './admission/admission-model.ts';
import { approvalGuards } from './approvals/approval-guards.ts';
import { approvalModel } from './approvals/approval-model.ts';
import { bulkGuards } from './bulks/bulk-guards.ts';
import { bulkModel } from './bulks/bulk-model.ts';
import { compactionGuards } from './compactions/compaction-guards.ts';
import { compactionModel } from './compactions/compaction-model.ts';
import { delayGuards } from './delays/delay-guards.ts';
import { delayModel } from './delays/delay-model.ts';
import { editionGuards } from './editions/edition-guards.ts';
import { editionModel } from './editions/edition-model.ts';
import { type ExpiryGuard, type ExpiryGuards, expiryGuards } from './expiry/expiry-guards.ts';
import { expiryModel } from './expiry/expiry-model.ts';
import type { Model } from './explore/model.ts';
import { turnModel } from './explore/turn-model.ts';
import { fallbackGuards } from './fallback/fallback-guards.ts';
import { fallbackModel } from './fallback/fallback-model.ts';
import { guardNames, guardsUp } from './guards/all-guards.ts';
import { upExcept } from './guards/guard.ts';
import { inputGuards } from './inputs/input-guards.ts';
import { inputModel } from './inputs/input-model.ts';
import { leanGuards } from './lean/lean-guards.ts';
import { leanModel } from './lean/lean-model.ts';
import { lineGuards } from './lines/line-guards.ts';
import { lineModel } from './lines/line-model.ts';
import { scheduleGuards } from './schedules/schedule-guards.ts';
import { scheduleModel } from './schedules/schedule-model.ts';
import { type TierGuard, type TierGuards, tierGuards } from './tiers/tier-guards.ts';
import { tierModel } from './tiers/tier-model.ts';
import { usageGuards } from './usage/usage-guards.ts';
import { usageModel } from './usage/usage-model.ts';

/** Plays a model, and prints its verdict under a name. */
export type PlayModel = <S>(name: string, model: Model<S>) => void;

/** Plays all mutants, each with the faults that show it. */
export function playMutants(play: PlayModel): void {
  for (const [name, { scene, faults }] of guardNames)
    play(`without ${name}`, turnModel({ scene, guards: guardsUp(name), budget: faults }));
  for (const [name, { faults }] of entriesOf(editionGuards)) {
    const guards = upExcept(editionGuards, [name]);
    play(`without ${name}`, editionModel({ slots: 2, guards, left: faults }));
  }
  for (const [name, { faults }] of entriesOf(fallbackGuards)) {
    const guards = upExcept(fallbackGuards, [name]);
    play(`without ${name}`, fallbackModel({ slots: 2, guards, left: faults }));
  }
  for (const [name, { rounds = 1, faults }] of entriesOf<string, TierGuard>(tierGuards)) {
    const guards = upExcept<string>(tierGuards, [name]) as TierGuards;
    play(`without ${name}`, tierModel({ slots: 2, rounds, guards, left: faults }));
  }
  for (const [name, { asks, faults }] of entriesOf(lineGuards))
    play(`without ${name}`, lineModel({ asks, guards: upExcept(lineGuards, [name]), left: faults }));
  for (const [name, { faults }] of entriesOf(compactionGuards))
    play(`without ${name}`, compactionModel({ guards: upExcept(compactionGuards, [name]), left: faults }));
  for (const [name, { scene, faults }] of entriesOf(admissionGuards))
    play(`without ${name}`, admissionModel({ scene, guards: upExcept(admissionGuards, [name]), left: faults }));
  for (const [name, { faults }] of entriesOf<string, ExpiryGuard>(expiryGuards))
    play(
      `without ${name}`,
      expiryModel({ guards: upExcept<string>(expiryGuards, [name]) as ExpiryGuards, left: faults }),
    );
  for (const [name, { faults }] of entriesOf(inputGuards))
    play(`without ${name}`, inputModel({ guards: upExcept(inputGuards, [name]), left: faults }));
  for (const [name, { faults }] of entriesOf(usageGuards))
    play(`without ${name}`, usageModel({ guards: upExcept(usageGuards, [name]), left: faults }));
  for (const [name, { faults }] of entriesOf(bulkGuards))
    play(`without ${name}`, bulkModel({ guards: upExcept(bulkGuards, [name]), left: faults }));
  for (const [name, { faults }] of entriesOf(delayGuards))
    play(`without ${name}`, delayModel({ guards: upExcept(delayGuards, [name]), left: faults }));
  for (const [name, { faults }] of entriesOf(scheduleGuards))
    play(`without ${name}`, scheduleModel({ guards: upExcept(scheduleGuards, [name]), left: faults }));
  for (const [name, { faults }] of entriesOf(approvalGuards))
    play(`without ${name}`, approvalModel({ guards: upExcept(approvalGuards, [name]), left: faults }));
  for (const [name, { faults }] of entriesOf(leanGuards))
    play(`without ${name}`, leanModel({ guards: upExcept(leanGuards, [name]), left: faults }));
}

function entriesOf<Name extends string, Value>(table: Record<Name, Value>): [Name, Value][] {
  return Object.entries(table) as [Name, Value][];
}
