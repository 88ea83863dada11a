import type { Socket } from 'node:net';

/**
 * The effect of a link on its bytes.
 * - `cut`: connections are reset, new connections too.
 * - `blackhole`: bytes vanish without an error. Connections that were open stay dead.
 * - `hold`: no byte arrives until the mode ends, then all do, as after a partition that is shorter than TCP's
 *   patience.
 * - `hold-replies`: the same for answers only. Requests arrive.
 * - `drop-replies`: requests arrive, answers do not. Connections that lost an answer are reset when the mode ends.
 * - `slow`: bytes arrive late, and few in a second.
 * - `lossy`: one piece in ten must be sent again, and arrives a quarter of a second late.
 * - `delay`: each piece takes 5 to 50 ms.
 */
export type LinkMode = 'pass' | (typeof WORST_FIRST)[number];

/** The modes in their order of precedence. */
export const WORST_FIRST = [
  'cut',
  'blackhole',
  'hold',
  'drop-replies',
  'hold-replies',
  'slow',
  'lossy',
  'delay',
] as const;

/** The damage of a link to its connections so far. `droppedReplies` has the last lost answers as text. */
export type Harm = {
  resets: number;
  frozen: number;
  slowed: number;
  held: number;
  dropped: number;
  droppedReplies: string[];
};

/** The present state of a link. `modeEnded` resolves when its mode changes. */
export type State = { mode: LinkMode; modeEnded: PromiseWithResolvers<void>; harm: Harm; passages: Set<Passage> };

/** The direction of bytes: from a part to a store, or back. */
export type Direction = 'request' | 'reply';

/** A connection through the link. `isLost` is true after some of its bytes have vanished. */
export type Passage = { client: Socket; server: Socket; isLost: boolean };
