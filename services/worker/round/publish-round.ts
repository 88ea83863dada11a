import type { Delta } from '#core/llm/provider.ts';
import { type HostedCall, storedCall } from '#core/turn/hosted/hosted.ts';
import { placeCalls } from '#core/turn/hosted/place-calls.ts';
import type { Lease } from '../lease/run.ts';
import type { Watchers } from '../watchers.ts';

const COALESCE_MS = 40;

type Address = { turn_id: string; round: number; attempt: number };
type Channel = 'output_text.delta' | 'reasoning.delta';

/** The publisher of one attempt of a round. */
export type RoundPublisher = Disposable & {
  take(delta: Delta): void;
  catchUp(): void;
  /** Returns the thoughts of the model before its first text or call, or null if the model showed none. */
  reasoning(): string | null;
};

/** The lease under which a run publishes its round. `published` is true once the run has published a piece. */
export type PublishingRun = { lease: Pick<Lease, 'draft' | 'taken'>; published: boolean };

/**
 * Publishes a round while it streams. Collects deltas for a moment, and sends them with their start offset, so that a
 * watcher can join at any time. Never slows down the provider's stream. Without a lease, and so without a draft
 * number, a run publishes no piece, since another run may be on the step (R18).
 */
export function publishRound(
  { publishLive }: Pick<Watchers, 'publishLive'>,
  address: Address,
  run: PublishingRun,
): RoundPublisher {
  const reasoning = gather('reasoning.delta');
  const text = gather('output_text.delta');
  const args = new Map<number, string>();
  const calls = gatherCalls();
  const bounds: { reasoning_length?: number; refusal_from?: number } = {};
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const { draft } = run.lease;
    if (draft === null || isOver) return;
    publishFrom(draft, { reasoning: reasoning.sent, text: text.sent, calls: calls.sent });
    for (const [index, delta] of args)
      publishLive({ type: 'tool_call.arguments.delta', ...address, draft, index, delta });
    args.clear();
  }
  function publishFrom(draft: number, sent: Lengths): void {
    const pieces = piecesAfter(sent, { reasoning, text, calls });
    run.published ||= pieces.length > 0;
    for (const piece of pieces) publishLive({ ...piece, ...address, draft, ...bounds });
  }

  const start = () => publishLive({ type: 'round.started', ...address, ...draftField(run) });
  start();
  void run.lease.taken.then(flush);
  return {
    take: (delta) => {
      if (delta.kind !== 'reasoning' && (delta.text || delta.kind === 'hosted-call'))
        bounds.reasoning_length ??= reasoning.text.length;
      if (delta.kind === 'refusal') bounds.refusal_from ??= text.text.length;
      if (delta.kind === 'tool-arguments') args.set(delta.index, (args.get(delta.index) ?? '') + delta.text);
      else if (delta.kind === 'hosted-call') calls.add(delta.call, text.text.length);
      else (delta.kind === 'reasoning' ? reasoning : text).text += delta.text;
      timer ??= setTimeout(flush, COALESCE_MS);
    },
    catchUp: () => {
      start();
      const { draft } = run.lease;
      if (draft !== null) publishFrom(draft, { reasoning: 0, text: 0, calls: 0 });
    },
    reasoning: () => reasoning.text.slice(0, bounds.reasoning_length) || null,
    [Symbol.dispose]: () => {
      flush();
      isOver = true;
    },
  };
}

type Lengths = { reasoning: number; text: number; calls: number };
type Gathered = Record<'reasoning' | 'text', ReturnType<typeof gather>> & { calls: ReturnType<typeof gatherCalls> };

/** Returns the pieces that were not sent: the reasoning, then the text with the calls in their places. */
function piecesAfter(sent: Lengths, { reasoning, text, calls }: Gathered) {
  const thought = reasoning.from(sent.reasoning);
  const said = placeCalls(text.from(sent.text), calls.from(sent.calls));
  return thought.delta ? [thought, ...said] : said;
}

function draftField({ lease: { draft } }: PublishingRun) {
  return draft === null ? {} : { draft };
}

/** Returns a growing text. Its pieces are sent with their offsets. */
function gather(type: Channel) {
  return {
    text: '',
    sent: 0,
    from(offset: number) {
      this.sent = this.text.length;
      return { type, offset, delta: this.text.slice(offset) };
    },
  };
}

/** Returns the starts and ends of calls so far. A call keeps the position at which it started. */
function gatherCalls() {
  const all: HostedCall[] = [];
  return {
    sent: 0,
    add(call: Omit<HostedCall, 'offset'>, end: number) {
      all.push({ ...storedCall(call), offset: all.find(({ id }) => id === call.id)?.offset ?? end });
    },
    from(index: number) {
      this.sent = all.length;
      return all
        .slice(index)
        .map((call, place) => ({ type: eventOf(call), hosted_call: call, hosted_index: index + place }));
    },
  };
}

function eventOf({ status }: HostedCall) {
  return status === 'in_progress' ? ('hosted_call.started' as const) : ('hosted_call.completed' as const);
}
