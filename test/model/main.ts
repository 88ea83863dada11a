import { parseArgs } from 'node:util';
import { compactionGuards } from './compactions/compaction-guards.ts';
import { compactionModel } from './compactions/compaction-model.ts';
import { editionGuards } from './editions/edition-guards.ts';
import { editionModel } from './editions/edition-model.ts';
import { describeVerdict } from './explore/describe-verdict.ts';
import { type Bounds, explore } from './explore/explore.ts';
import type { Model } from './explore/model.ts';
import { turnModel } from './explore/turn-model.ts';
import { fallbackGuards } from './fallback/fallback-guards.ts';
import { fallbackModel } from './fallback/fallback-model.ts';
import type { Budget, Fault } from './fault.ts';
import { guardNames, guardsUp } from './guards/all-guards.ts';
import { upExcept } from './guards/guard.ts';
import { lineGuards } from './lines/line-guards.ts';
import { lineModel } from './lines/line-model.ts';
import type { Scene } from './scene.ts';

const HELP = `npm run model -- [options]      plays the protocol in all orders and prints the verdict
  --faults <n>       so many faults of any kinds in one turn, 3 at most (1)
  --only <a,b,…>     of these kinds only
  --scene <name>     one scene of: tools, client, approval, handed, adopted, unfit, retry, next,
                     editions, fallback, lines, compactions (all)
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

if (values.help) console.log(HELP);
else if (values.mutants) playMutants();
else playScenes();

function playScenes(): void {
  const each = Math.min(Number(values.faults), 3);
  const only = values.only?.split(',');
  const faults = kinds.filter((kind) => !only || only.includes(kind));
  const chosen = Object.entries(scenes).filter(([name]) => !values.scene || name === values.scene);
  const isSmall = ['editions', 'fallback', 'lines', 'compactions'].includes(values.scene ?? '');
  if (chosen.length === 0 && !isSmall) throw new Error(`There is no scene "${values.scene}"; --help names them.`);
  for (const [name, { scene, own }] of chosen) {
    const budget = { ...Object.fromEntries(faults.map((kind) => [kind, each])), ...own, total: each };
    play(`${name}, any ${each}`, turnModel({ scene, guards: guardsUp(), budget }));
  }
  if (!values.scene || values.scene === 'editions') playEditions(each);
  if (!values.scene || values.scene === 'fallback') playFallback(each);
  if (!values.scene || values.scene === 'lines') playLines(each);
  if (!values.scene || values.scene === 'compactions') playCompactions(each);
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

function playLines(each: number): void {
  const guards = upExcept(lineGuards, []);
  for (const asks of ['output', 'approval'] as const) {
    const left = { create: each + 1, unstored: 1, hide: each + 2, fail: 1, retry: 1 };
    play(`lines, ${asks}, ${JSON.stringify(left)}`, lineModel({ asks, guards, left }));
  }
}

function playCompactions(each: number): void {
  const guards = upExcept(compactionGuards, []);
  for (const own of [{ lostAck: each }, { lostAck: each, cancel: 1 }, { delete: each + 1 }]) {
    const left = { crash: each, duplicate: each, ...own };
    play(`compactions, ${JSON.stringify(left)}`, compactionModel({ guards, left }));
  }
}

function playMutants(): void {
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
  for (const [name, { asks, faults }] of entriesOf(lineGuards))
    play(`without ${name}`, lineModel({ asks, guards: upExcept(lineGuards, [name]), left: faults }));
  for (const [name, { faults }] of entriesOf(compactionGuards))
    play(`without ${name}`, compactionModel({ guards: upExcept(compactionGuards, [name]), left: faults }));
}

function entriesOf<Name extends string, Value>(table: Record<Name, Value>): [Name, Value][] {
  return Object.entries(table) as [Name, Value][];
}

function play<S>(name: string, model: Model<S>): void {
  const bounds: Bounds = { maxStates: Number(values.states), maxMs: Number(values.seconds) * 1_000 };
  const startedAt = performance.now();
  const verdict = explore(model, bounds);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const size = `${verdict.states.toLocaleString('en')} states, ${verdict.edges.toLocaleString('en')} edges, ${seconds} s`;
  console.log(`${name}: ${size}: ${describeVerdict(verdict)}`);
}
