import type { Delta } from '#core/llm/provider.ts';
import type { Watchers } from '../watchers.ts';

const COALESCE_MS = 40;

type Address = { turn_id: string; round: number; attempt: number };
type Channel = 'output_text.delta' | 'reasoning.delta';

/** One attempt of a round, as its watchers see it. */
export type RoundPublisher = Disposable & { take(delta: Delta): void; catchUp(): void };

/**
 * Publishes a round while it streams. Deltas are gathered for a moment and sent with the offset where they start, so
 * that a watcher can come at any time. The provider's stream is never slowed down.
 */
export function publishRound({ publishLive }: Pick<Watchers, 'publishLive'>, address: Address): RoundPublisher {
  const texts = { 'reasoning.delta': gather('reasoning.delta'), 'output_text.delta': gather('output_text.delta') };
  const args = new Map<number, string>();
  let timer: NodeJS.Timeout | undefined;

  function gather(type: Channel) {
    return { type, text: '', sent: 0 };
  }
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const channel of Object.values(texts)) publishFrom(channel, channel.sent);
    for (const [index, delta] of args) publishLive({ type: 'tool_call.arguments.delta', ...address, index, delta });
    args.clear();
  }
  function publishFrom(channel: ReturnType<typeof gather>, offset: number): void {
    const delta = channel.text.slice(offset);
    channel.sent = channel.text.length;
    if (delta) publishLive({ type: channel.type, ...address, offset, delta });
  }

  publishLive({ type: 'round.started', ...address });
  return {
    take: (delta) => {
      if (delta.kind === 'text') texts['output_text.delta'].text += delta.text;
      else if (delta.kind === 'reasoning') texts['reasoning.delta'].text += delta.text;
      else args.set(delta.index, (args.get(delta.index) ?? '') + delta.text);
      timer ??= setTimeout(flush, COALESCE_MS);
    },
    catchUp: () => {
      publishLive({ type: 'round.started', ...address });
      for (const channel of Object.values(texts)) publishFrom(channel, 0);
    },
    [Symbol.dispose]: flush,
  };
}
