import type { Delta } from '#core/llm/provider.ts';
import type { Audience } from './audience.ts';

const COALESCE_MS = 40;

type Address = { turn_id: string; round: number; attempt: number };
type Channel = 'output_text.delta' | 'reasoning.delta';

/** One try of a round on the wire. */
export type RoundAnnouncer = Disposable & { take(delta: Delta): void; catchUp(): void };

/**
 * Tells watchers of a round while it streams. Pieces are gathered for a moment and sent with the place where they
 * start, so that a watcher can come at any time; the provider's stream is never held up.
 */
export function announceRound({ live: say }: Pick<Audience, 'live'>, address: Address): RoundAnnouncer {
  const texts = { 'reasoning.delta': gather('reasoning.delta'), 'output_text.delta': gather('output_text.delta') };
  const args = new Map<number, string>();
  let timer: NodeJS.Timeout | undefined;

  function gather(type: Channel) {
    return { type, text: '', sent: 0 };
  }
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    for (const channel of Object.values(texts)) sayFrom(channel, channel.sent);
    for (const [index, delta] of args) say({ type: 'tool_call.arguments.delta', ...address, index, delta });
    args.clear();
  }
  function sayFrom(channel: ReturnType<typeof gather>, offset: number): void {
    const delta = channel.text.slice(offset);
    channel.sent = channel.text.length;
    if (delta) say({ type: channel.type, ...address, offset, delta });
  }

  say({ type: 'round.started', ...address });
  return {
    take: (delta) => {
      if (delta.kind === 'text') texts['output_text.delta'].text += delta.text;
      else if (delta.kind === 'reasoning') texts['reasoning.delta'].text += delta.text;
      else args.set(delta.index, (args.get(delta.index) ?? '') + delta.text);
      timer ??= setTimeout(flush, COALESCE_MS);
    },
    catchUp: () => {
      say({ type: 'round.started', ...address });
      for (const channel of Object.values(texts)) sayFrom(channel, 0);
    },
    [Symbol.dispose]: flush,
  };
}
