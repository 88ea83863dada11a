import type { Socket } from 'node:net';

/**
 * What a link does to the bytes on it.
 * - `cut`: connections are reset, new ones too.
 * - `blackhole`: bytes vanish without an error; connections that were open stay dead for good.
 * - `hold`: nothing arrives until the mode ends, then all does, as where a network is parted for less than TCP's patience.
 * - `hold-replies`: the same for answers alone; requests arrive.
 * - `drop-replies`: requests arrive, answers do not; connections that lost one are reset when the mode ends.
 * - `slow`: bytes come late, and few in a second.
 * - `lossy`: one piece in ten has to be sent again, and comes a quarter of a second late.
 * - `delay`: each piece is 5 to 50 ms on its way.
 */
export type LinkMode = 'pass' | (typeof WORST_FIRST)[number];

/** Of several modes the first one counts. */
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

/** What a link has done to its connections so far; `droppedReplies` has the last lost answers as text. */
export type Harm = {
  resets: number;
  frozen: number;
  slowed: number;
  held: number;
  dropped: number;
  droppedReplies: string[];
};

/** A link as it is now; `modeEnded` resolves once its mode changes. */
export type State = { mode: LinkMode; modeEnded: PromiseWithResolvers<void>; harm: Harm; passages: Set<Passage> };

/** Which way bytes go: from a part to a store, or back. */
export type Direction = 'request' | 'reply';

/** A connection on its way through the link; `isLost` once bytes of it have vanished. */
export type Passage = { client: Socket; server: Socket; isLost: boolean };
