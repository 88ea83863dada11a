import type { Delta } from '#core/llm/provider.ts';
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
  const bounds: { reasoning_length?: number; refusal_from?: number } = {};
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    const { draft } = run.lease;
    if (draft === null || isOver) return;
    for (const channel of [reasoning, text]) publishFrom(channel, channel.sent);
    for (const [index, delta] of args)
      publishLive({ type: 'tool_call.arguments.delta', ...address, draft, index, delta });
    args.clear();
  }
  function publishFrom(channel: ReturnType<typeof gather>, offset: number): void {
    const { draft } = run.lease;
    const delta = channel.text.slice(offset);
    if (draft === null || !delta) return;
    channel.sent = channel.text.length;
    run.published = true;
    publishLive({ type: channel.type, ...address, draft, ...bounds, offset, delta });
  }

  const start = () => publishLive({ type: 'round.started', ...address, ...draftField(run) });
  start();
  void run.lease.taken.then(flush);
  return {
    take: (delta) => {
      if (delta.kind !== 'reasoning' && delta.text) bounds.reasoning_length ??= reasoning.text.length;
      if (delta.kind === 'refusal') bounds.refusal_from ??= text.text.length;
      if (delta.kind === 'tool-arguments') args.set(delta.index, (args.get(delta.index) ?? '') + delta.text);
      else (delta.kind === 'reasoning' ? reasoning : text).text += delta.text;
      timer ??= setTimeout(flush, COALESCE_MS);
    },
    catchUp: () => {
      start();
      for (const channel of [reasoning, text]) publishFrom(channel, 0);
    },
    reasoning: () => reasoning.text.slice(0, bounds.reasoning_length) || null,
    [Symbol.dispose]: () => {
      flush();
      isOver = true;
    },
  };
}

function draftField({ lease: { draft } }: PublishingRun) {
  return draft === null ? {} : { draft };
}

function gather(type: Channel) {
  return { type, text: '', sent: 0 };
}
