import { parseArgs } from 'node:util';
import { describeVerdict } from './explore/describe-verdict.ts';
import { type Bounds, explore } from './explore/explore.ts';
import type { Budget, Fault } from './fault.ts';
import { guardNames, guardsUp } from './guards/all-guards.ts';
import type { Scene } from './scene.ts';
import type { Setting } from './setting.ts';

const HELP = `npm run model -- [options]      plays the protocol in all orders and prints the verdict
  --faults <n>       so many faults of any kinds in one turn, 3 at most (1)
  --only <a,b,…>     of these kinds only
  --scene <name>     one scene of: tools, client, approval, retry, next (all)
  --states <n>       states of one scene at most (2000000)
  --seconds <n>      seconds of one scene at most (300)
  --mutants          the mutants instead`;

const scenes: Record<string, { scene: Scene; own: Budget }> = {
  tools: { scene: { calls: 'tools' }, own: {} },
  client: { scene: { calls: 'client', expires: true }, own: { answer: 1 } },
  approval: { scene: { calls: 'approval', expires: true }, own: { answer: 1 } },
  retry: { scene: { calls: 'tools' }, own: { definite: 2, retry: 1 } },
  next: { scene: { calls: 'none', next: 'waits' }, own: { definite: 2, retry: 1 } },
};

const kinds: Fault[] = [
  ...(['crash', 'stall', 'hang', 'flush', 'duplicate', 'wedge', 'lostAck', 'backlog'] as const),
  ...(['later', 'shutdown', 'refusal', 'cancel'] as const),
];

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
  if (chosen.length === 0) throw new Error(`There is no scene "${values.scene}"; --help names them.`);
  for (const [name, { scene, own }] of chosen) {
    const budget = { ...Object.fromEntries(faults.map((kind) => [kind, each])), ...own, total: each };
    play(`${name}, any ${each}`, { scene, guards: guardsUp(), budget });
  }
}

function playMutants(): void {
  for (const [name, { scene, faults }] of guardNames)
    play(`without ${name}`, { scene, guards: guardsUp(name), budget: faults });
}

function play(name: string, setting: Setting): void {
  const bounds: Bounds = { maxStates: Number(values.states), maxMs: Number(values.seconds) * 1_000 };
  const startedAt = performance.now();
  const verdict = explore(setting, bounds);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  const size = `${verdict.states.toLocaleString('en')} states, ${verdict.edges.toLocaleString('en')} edges, ${seconds} s`;
  console.log(`${name}: ${size}: ${describeVerdict(verdict)}`);
}
