import { parseArgs } from 'node:util';
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
import { expiryGuards } from './expiry/expiry-guards.ts';
import { expiryModel } from './expiry/expiry-model.ts';
import { describeVerdict } from './explore/describe-verdict.ts';
import { type Bounds, explore } from './explore/explore.ts';
import type { Model } from './explore/model.ts';
import { turnModel } from './explore/turn-model.ts';
import { fallbackGuards } from './fallback/fallback-guards.ts';
import { fallbackModel } from './fallback/fallback-model.ts';
import type { Budget, Fault } from './fault.ts';
import { guardsUp } from './guards/all-guards.ts';
import { upExcept } from './guards/guard.ts';
import { inputGuards } from './inputs/input-guards.ts';
import { inputModel } from './inputs/input-model.ts';
import { leanGuards } from './lean/lean-guards.ts';
import { leanModel } from './lean/lean-model.ts';
import { lineGuards } from './lines/line-guards.ts';
import { lineModel } from './lines/line-model.ts';
import { playMutants } from './play-mutants.ts';
import type { Scene } from './scene.ts';
import { scheduleGuards } from './schedules/schedule-guards.ts';
import { scheduleModel } from './schedules/schedule-model.ts';
import { tierGuards } from './tiers/tier-guards.ts';
import { tierModel } from './tiers/tier-model.ts';
import { usageGuards } from './usage/usage-guards.ts';
import { usageModel } from './usage/usage-model.ts';

const HELP = `npm run model -- [options]      plays the protocol in all orders and prints the verdict
  --faults <n>       so many faults of any kinds in one turn, 3 at most (1)
  --only <a,b,…>     of these kinds only
  --scene <name>     one scene of: tools, client, approval, handed, adopted, unfit, retry, next,
                     editions, fallback, tiers, lines, compactions, admission,
                     expiry, usage, bulks, delays, approvals, inputs, schedules,
                     lean (all)
  --states <n>       states of one scene at most (2000000)
  --seconds <n>      seconds of one scene at most (300)
  --mutants          the mutants instead`;

const scenes: Record<string, { scene: Scene; own: Budget }> = {
  tools: { scene: { calls: 'tools' }, own: {} },
  client: { scene: { calls: 'client', expires: true }, own: { answer: 1 } },
  approval: { scene: { calls: 'approval', expires: true }, own: { answer: 1 } },
  handed: { scene: { calls: 'handed' }, own: {} },
  adopted: { scene: { calls: 'tools', adopts: true }, own: {} },
  unfit: { scene: { calls: 'unfit' }, own: { retry: 1 } },
  retry: { scene: { calls: 'tools' }, own: { definite: 2, retry: 1 } },
  next: { scene: { calls: 'none', next: 'waits' }, own: { definite: 2, retry: 1 } },
};

const kinds: Fault[] = [
  ...(['crash', 'stall', 'hang', 'flush', 'duplicate', 'wedge', 'lostAck', 'backlog'] as const),
  ...(['later', 'shutdown', 'refusal', 'cancel'] as const),
];

/** Those of the small models of one round. */
const ofRound = ['crash', 'stall', 'duplicate', 'flush', 'lostAck', 'backlog', 'later'] as const;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const { values } = parseArgs({
  options: {
    ...{ faults: { ...text, default: '1' }, only: text, scene: text },
    ...{ states: { ...text, default: '2000000' }, seconds: { ...text, default: '300' } },
    ...{ mutants: flag, help: flag },
  },
});

/** The small models, each with what plays it. */
const smallModels: Record<string, (each: number) => void> = {
  ...{
    editions: playEditions,
    fallback: playFallback,
    tiers: playTiers,
    lines: playLines,
    compactions: playCompactions,
  },
  ...{
    admission: playAdmission,
    expiry: playExpiry,
    usage: playUsage,
    bulks: playBulks,
    delays: playDelays,
    schedules: playSchedules,
  },
  approvals: playApprovals,
  inputs: playInputs,
  lean: playLean,
};

if (values.help) console.log(HELP);
else if (values.mutants) playMutants(play);
else playScenes();

function playScenes(): void {
  const each = Math.min(Number(values.faults), 3);
  const only = values.only?.split(',');
  const faults = kinds.filter((kind) => !only || only.includes(kind));
  const chosen = Object.entries(scenes).filter(([name]) => !values.scene || name === values.scene);
  const small = Object.entries(smallModels).filter(([name]) => !values.scene || name === values.scene);
  if (chosen.length + small.length === 0) throw new Error(`There is no scene "${values.scene}"; --help names them.`);
  for (const [name, { scene, own }] of chosen) {
    const budget = { ...Object.fromEntries(faults.map((kind) => [kind, each])), ...own, total: each };
    play(`${name}, any ${each}`, turnModel({ scene, guards: guardsUp(), budget }));
  }
  for (const [, playAll] of small) playAll(each);
}

/** Any two kinds of faults together, so many of each. */
function playEditions(each: number): void {
  const guards = upExcept(editionGuards, []);
  for (const [index, one] of ofRound.entries()) {
    for (const other of ofRound.slice(index + 1)) {
      const left = { [one]: each, [other]: each, definite: 1, retry: 1 };
      play(`editions, ${each} ${one}, ${each} ${other}`, editionModel({ slots: 2, guards, left }));
    }
  }
}

/** Each kind of fault, so many of it, while models fail for good or now. */
function playFallback(each: number): void {
  const guards = upExcept(fallbackGuards, []);
  for (const one of ofRound) {
    const left = { definite: 3, later: 2, retry: 1, [one]: one === 'later' ? each + 2 : each };
    play(`fallback, ${JSON.stringify(left)}`, fallbackModel({ slots: 2, guards, left }));
  }
}

/** Each kind of fault, so many of it, while the provider refuses rounds or the deadline is near. */
function playTiers(each: number): void {
  const guards = upExcept(tierGuards, []);
  for (const one of ofRound) {
    const left = { refused: 3, late: 1, [one]: each };
    play(`tiers, ${JSON.stringify(left)}`, tierModel({ slots: 2, rounds: 1, guards, left }));
  }
  play('tiers, 2 rounds', tierModel({ slots: 2, rounds: 2, guards, left: { refused: 6, late: 1, crash: each } }));
}

function playLines(each: number): void {
  const guards = upExcept(lineGuards, []);
  for (const asks of ['output', 'approval'] as const) {
    for (const deletes of [{ hide: each + 2 }, { hide: each, remove: each + 1 }]) {
      const left = { create: each + 1, unstored: 1, ...deletes, fail: 1, retry: 1 };
      play(`lines, ${asks}, ${JSON.stringify(left)}`, lineModel({ asks, guards, left }));
    }
  }
}

function playCompactions(each: number): void {
  const guards = upExcept(compactionGuards, []);
  for (const own of [{ lostAck: each }, { lostAck: each, cancel: 1 }, { delete: each + 1 }]) {
    const left = { crash: each, duplicate: each, ...own };
    play(`compactions, ${JSON.stringify(left)}`, compactionModel({ guards, left }));
  }
}

function playInputs(each: number): void {
  const guards = upExcept(inputGuards, []);
  for (const own of [
    { crash: each, late: each },
    { late: each, fail: 1, retry: 1 },
    { duplicate: each, cancel: 1 },
  ]) {
    const left = { join: each + 1, ...own };
    play(`inputs, ${JSON.stringify(left)}`, inputModel({ guards, left }));
  }
}

function playAdmission(each: number): void {
  const guards = upExcept(admissionGuards, []);
  for (const scene of ['window', 'quota'] as const) {
    for (const own of [
      { hang: each + 1 },
      { lostRequest: each },
      { flush: each, step: 1 },
      { postpone: each, wait: 1 },
    ]) {
      const left = { crash: each, ...own };
      play(`admission, ${scene}, ${JSON.stringify(left)}`, admissionModel({ scene, guards, left }));
    }
  }
}

function playExpiry(each: number): void {
  const left = { start: each + 2, change: each + 1, age: each };
  play(`expiry, ${JSON.stringify(left)}`, expiryModel({ guards: upExcept(expiryGuards, []), left }));
}

function playUsage(each: number): void {
  const left = { crash: each, lostAck: each };
  play(`usage, ${JSON.stringify(left)}`, usageModel({ guards: upExcept(usageGuards, []), left }));
}

function playBulks(each: number): void {
  const left = { crash: each, stall: each, create: 1, fail: 1 };
  play(`bulks, ${JSON.stringify(left)}`, bulkModel({ guards: upExcept(bulkGuards, []), left }));
}

function playDelays(each: number): void {
  const left = { flush: each, skew: each, create: 1 };
  play(`delays, ${JSON.stringify(left)}`, delayModel({ guards: upExcept(delayGuards, []), left }));
}

function playApprovals(each: number): void {
  const left = { crash: each };
  play(`approvals, ${JSON.stringify(left)}`, approvalModel({ guards: upExcept(approvalGuards, []), left }));
}

function playLean(each: number): void {
  const left = { crash: each, lostAck: each, enable: each + 1, disable: each + 1, failover: each };
  play(`lean, ${JSON.stringify(left)}`, leanModel({ guards: upExcept(leanGuards, []), left }));
}

function playSchedules(each: number): void {
  const left = { crash: each + 1, skew: each, change: each };
  play(`schedules, ${JSON.stringify(left)}`, scheduleModel({ guards: upExcept(scheduleGuards, []), left }));
}

function play<S>(name: string, model: Model<S>): void {
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt > Number(values.seconds) * 1_000;
  const bounds: Bounds = { maxStates: Number(values.states), isOver };
  const verdict = explore(model, bounds);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const size = `${verdict.states.toLocaleString('en')} states, ${verdict.edges.toLocaleString('en')} edges, ${seconds} s`;
  console.log(`${name}: ${size}: ${describeVerdict(verdict)}`);
}
