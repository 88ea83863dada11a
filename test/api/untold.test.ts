import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LiveEvent } from '#core/turn/event.ts';
import { hearRound, type RoundOnAir } from '#services/api/watch/round-on-air.ts';
import { NOTHING_TOLD, type Told, untold } from '#services/api/watch/untold.ts';

type Channel = 'output_text.delta' | 'reasoning.delta';

/** What may happen: numbers choose among whom or what there is at that moment. */
type Happening =
  | { kind: 'write'; channel: Channel; text: string }
  | { kind: 'try-again' }
  | { kind: 'catch-up' }
  | { kind: 'arrive' | 'arrive-twice' | 'get-lost' | 'arrive-from-an-old-try'; which: number }
  | { kind: 'come' }
  | { kind: 'look' | 'come-back'; who: number };

const channel = fc.constantFrom<Channel>('output_text.delta', 'reasoning.delta');
const number = fc.nat({ max: 20 });
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('write' as const), channel, text: fc.string({ unit: 'binary' }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constantFrom('arrive' as const, 'arrive-twice' as const), which: number }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('get-lost' as const), which: number }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('arrive-from-an-old-try' as const), which: number }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'try-again' as const }, { kind: 'catch-up' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'come' as const }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('look' as const, 'come-back' as const), who: number }) },
);

test('whatever is lost, doubled, late or tried again, every watcher ends with the text of the round', () => {
  fc.assert(
    fc.property(fc.array(happening, { maxLength: 120 }), (happenings) => {
      const scene = newScene();

      for (const one of happenings) happen(scene, one);
      settle(scene);

      for (const watcher of scene.watchers) expect(watcher.texts).toEqual(scene.written);
    }),
    { numRuns: 2_000 },
  );
});

/** A worker that writes, a bus that does what it likes, a process that hears, watchers that look when they can. */
function newScene() {
  return {
    attempt: 1,
    written: noTexts(),
    bus: [] as LiveEvent[],
    old: [] as LiveEvent[],
    onAir: null as RoundOnAir | null,
    watchers: [newWatcher()],
  };
}

type Scene = ReturnType<typeof newScene>;
type Watcher = { told: Told; attempt: number; texts: Record<Channel, string>; isNew: boolean };

function happen(scene: Scene, one: Happening): void {
  switch (one.kind) {
    case 'write': {
      const offset = scene.written[one.channel].length;
      scene.written[one.channel] += one.text;
      scene.bus.push({ type: one.channel, ...addressOf(scene), offset, delta: one.text });
      return;
    }
    case 'try-again':
      scene.old.push(...scene.bus.splice(0));
      scene.attempt += 1;
      scene.written = noTexts();
      scene.bus.push({ type: 'round.started', ...addressOf(scene) });
      return;
    case 'catch-up':
      catchUp(scene);
      return;
    case 'arrive':
      hear(scene, take(scene.bus, one.which));
      return;
    case 'arrive-twice': {
      const event = scene.bus[one.which % scene.bus.length];
      hear(scene, event);
      return;
    }
    case 'arrive-from-an-old-try':
      hear(scene, take(scene.old, one.which));
      return;
    case 'get-lost':
      take(scene.bus, one.which);
      return;
    case 'come':
      scene.watchers.push(newWatcher());
      return;
    case 'look':
      look(scene, scene.watchers[one.who % scene.watchers.length]!);
      return;
    case 'come-back': {
      const watcher = scene.watchers[one.who % scene.watchers.length]!;
      watcher.told = NOTHING_TOLD;
      watcher.isNew = true;
    }
  }
}

/** The bus is quiet in the end and what was lost has been asked for once more. */
function settle(scene: Scene): void {
  scene.bus.length = 0;
  catchUp(scene);
  for (const event of scene.bus) hear(scene, event);
  for (const watcher of scene.watchers) look(scene, watcher);
}

function catchUp(scene: Scene): void {
  scene.bus.push({ type: 'round.started', ...addressOf(scene) });
  for (const type of ['reasoning.delta', 'output_text.delta'] as const) {
    scene.bus.push({ type, ...addressOf(scene), offset: 0, delta: scene.written[type] });
  }
}

function hear(scene: Scene, event: LiveEvent | undefined): void {
  if (event && 'attempt' in event) scene.onAir = hearRound(scene.onAir, event);
}

/** A client as the contract wants it: each delta at its place, a new attempt from nothing. */
function look(scene: Scene, watcher: Watcher): void {
  if (!scene.onAir) return;
  const { events, told } = untold(scene.onAir, watcher.told);
  watcher.told = told;
  for (const event of events) {
    if (event.type === 'round.started') {
      expect(watcher.isNew || event.attempt > watcher.attempt).toBe(true);
      Object.assign(watcher, { attempt: event.attempt, isNew: false, texts: noTexts() });
    }
    if (!('offset' in event)) continue;
    expect(event).toMatchObject({ attempt: watcher.attempt, offset: watcher.texts[event.type].length });
    watcher.texts[event.type] += event.delta;
    if (watcher.attempt !== scene.attempt) continue;
    expect(scene.written[event.type].startsWith(watcher.texts[event.type])).toBe(true);
  }
}

function take(events: LiveEvent[], which: number): LiveEvent | undefined {
  return events.length > 0 ? events.splice(which % events.length, 1)[0] : undefined;
}

function newWatcher(): Watcher {
  return { told: NOTHING_TOLD, attempt: 0, texts: noTexts(), isNew: true };
}

function noTexts(): Record<Channel, string> {
  return { 'reasoning.delta': '', 'output_text.delta': '' };
}

function addressOf({ attempt }: { attempt: number }) {
  return { turn_id: 'turn_1', round: 1, attempt };
}
