import { turnModel } from './explore/turn-model.ts';
import type { Budget, Fault } from './fault.ts';
import { allGuards } from './guards/all-guards.ts';
import type { Scene } from './scene.ts';
import { type Played, type Suite, suiteOf } from './suite.ts';

type Setting = { scene: Scene; faults: Budget };

/** The model of one turn, in all its scenes. */
export const turnSuite: Suite = suiteOf({
  promise: 'a turn keeps every promise and can always end',
  guards: allGuards,
  modelOf: (guards, { scene, faults }: Setting) => turnModel({ scene, guards, budget: faults }),
  scenes: ({ each, only }: Played) => {
    const faults = KINDS.filter((kind) => !only || only.includes(kind));
    const any = { ...Object.fromEntries(faults.map((kind) => [kind, each])), total: each };
    const whole = Object.entries(scenes).map(([name, { scene, own }]): [string, Setting] => [
      `${name}, any ${each}`,
      { scene, faults: { ...any, ...own } },
    ]);
    return [...whole, ...more];
  },
});

/** The scenes. Each is played with any fault, and also with its own faults. */
const scenes: Record<string, { scene: Scene; own: Budget }> = {
  tools: { scene: { calls: 'tools' }, own: {} },
  client: { scene: { calls: 'client', expires: true }, own: { answer: 1 } },
  approval: { scene: { calls: 'approval', expires: true }, own: { answer: 1 } },
  handed: { scene: { calls: 'handed' }, own: {} },
  adopted: { scene: { calls: 'tools', adopts: true }, own: {} },
  invalid: { scene: { calls: 'invalid' }, own: { retry: 1 } },
  retry: { scene: { calls: 'tools' }, own: { definite: 2, retry: 1 } },
  next: { scene: { calls: 'none', next: 'waits' }, own: { definite: 2, retry: 1 } },
};

/** The kinds of faults that count against the total. */
const KINDS: Fault[] = [
  ...(['crash', 'stall', 'hang', 'flush', 'duplicate', 'wedge', 'lostAck', 'backlog'] as const),
  ...(['later', 'shutdown', 'refusal', 'cancel'] as const),
];
const ANY: Budget = Object.fromEntries(KINDS.map((kind) => [kind, 1]));
const AGAIN = { definite: 1, retry: 1 };

/** Scenes with their own faults, independent of the requested number. */
const more: [string, Setting][] = [
  ['tools, retried', { scene: { calls: 'tools' }, faults: { ...AGAIN, lostAck: 1 } }],
  ['client, which waits', { scene: { calls: 'client' }, faults: { ...ANY, stall: 0, total: 1 } }],
  ['client, which may stay away', { scene: { calls: 'client', expires: true }, faults: { answer: 1, crash: 1 } }],
  [
    'approval, while a deploy runs',
    { scene: { calls: 'approval', expires: true }, faults: { answer: 1, shutdown: 1 } },
  ],
  ['invalid, retried', { scene: { calls: 'invalid' }, faults: { ...AGAIN, lostAck: 1, stall: 1, total: 1 } }],
  ['invalid, which ends', { scene: { calls: 'invalid' }, faults: { ...ANY, total: 1 } }],
  ['adopted, alone', { scene: { calls: 'once', adopts: true }, faults: { ...ANY, total: 1 } }],
  ['short', { scene: { calls: 'none' }, faults: { ...ANY, total: 2 } }],
  ['next, retried', { scene: { calls: 'none', next: 'waits' }, faults: { ...ANY, ...AGAIN, total: 1 } }],
  ['next, which comes', { scene: { calls: 'none', next: 'comes' }, faults: { ...ANY, total: 1 } }],
  [
    'continues',
    {
      scene: { calls: 'tools', continues: true, maxRequests: 1 },
      faults: { duplicate: 1, backlog: 1, lostAck: 1, flush: 1, wedge: 1, total: 2 },
    },
  ],
  ['rescuerOff', { scene: { calls: 'tools', rescuerOff: true }, faults: { crash: 1, stall: 1, later: 1, total: 1 } }],
  ['rescuerOff, retried', { scene: { calls: 'none', rescuerOff: true }, faults: AGAIN }],
];
