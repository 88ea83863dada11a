import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LiveEvent } from '#core/turn/event.ts';
import { addRoundEvent, NOTHING_SENT, type RoundBuffer, type Sent, unsent } from '#services/api/stream/round-buffer.ts';

type Channel = 'output_text.delta' | 'reasoning.delta';

/** Possible steps of a scene. A number selects an event or a watcher that exists at that time. */
type Happening =
  | { kind: 'write'; channel: Channel; text: string }
  | { kind: 'retry' }
  | { kind: 'catch-up' }
  | { kind: 'arrive' | 'arrive-twice' | 'get-lost' | 'arrive-from-an-old-attempt'; which: number }
  | { kind: 'join' }
  | { kind: 'look' | 'resume'; watcher: number };

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
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('arrive-from-an-old-attempt' as const), which: number }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'retry' as const }, { kind: 'catch-up' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'join' as const }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('look' as const, 'resume' as const), watcher: number }) },
);

test('every watcher gets the text of a round despite lost, repeated and late events', () => {
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

/** Returns a scene: a writing worker, a bus that loses and repeats, a receiving process, and its watchers. */
function newScene() {
  return {
    attempt: 1,
    written: noTexts(),
    bus: [] as LiveEvent[],
    old: [] as LiveEvent[],
    buffer: null as RoundBuffer | null,
    watchers: [newWatcher()],
  };
}

type Scene = ReturnType<typeof newScene>;
type Watcher = { sent: Sent; attempt: number; texts: Record<Channel, string>; isNew: boolean };

function happen(scene: Scene, one: Happening): void {
  switch (one.kind) {
    case 'write': {
      const offset = scene.written[one.channel].length;
      scene.written[one.channel] += one.text;
      scene.bus.push({ type: one.channel, ...addressOf(scene), offset, delta: one.text });
      return;
    }
    case 'retry':
      scene.old.push(...scene.bus.splice(0));
      scene.attempt += 1;
      scene.written = noTexts();
      scene.bus.push({ type: 'round.started', ...addressOf(scene) });
      return;
    case 'catch-up':
      catchUp(scene);
      return;
    case 'arrive':
      receive(scene, take(scene.bus, one.which));
      return;
    case 'arrive-twice': {
      const event = scene.bus[one.which % scene.bus.length];
      receive(scene, event);
      return;
    }
    case 'arrive-from-an-old-attempt':
      receive(scene, take(scene.old, one.which));
      return;
    case 'get-lost':
      take(scene.bus, one.which);
      return;
    case 'join':
      scene.watchers.push(newWatcher());
      return;
    case 'look':
      look(scene, scene.watchers[one.watcher % scene.watchers.length]!);
      return;
    case 'resume': {
      const watcher = scene.watchers[one.watcher % scene.watchers.length]!;
      watcher.sent = NOTHING_SENT;
      watcher.isNew = true;
    }
  }
}

/** Ends a scene: the bus is quiet, and lost events are requested again. */
function settle(scene: Scene): void {
  scene.bus.length = 0;
  catchUp(scene);
  for (const event of scene.bus) receive(scene, event);
  for (const watcher of scene.watchers) look(scene, watcher);
}

function catchUp(scene: Scene): void {
  scene.bus.push({ type: 'round.started', ...addressOf(scene) });
  for (const type of ['reasoning.delta', 'output_text.delta'] as const) {
    scene.bus.push({ type, ...addressOf(scene), offset: 0, delta: scene.written[type] });
  }
}

function receive(scene: Scene, event: LiveEvent | undefined): void {
  if (event && 'attempt' in event) scene.buffer = addRoundEvent(scene.buffer, event);
}

/** Reads as a client should: each delta at its offset, and a new attempt from the start. */
function look(scene: Scene, watcher: Watcher): void {
  if (!scene.buffer) return;
  const { events, sent } = unsent(scene.buffer, watcher.sent);
  watcher.sent = sent;
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
  return { sent: NOTHING_SENT, attempt: 0, texts: noTexts(), isNew: true };
}

function noTexts(): Record<Channel, string> {
  return { 'reasoning.delta': '', 'output_text.delta': '' };
}

function addressOf({ attempt }: { attempt: number }) {
  return { turn_id: 'turn_1', round: 1, attempt };
}
