import type { Socket } from 'node:net';

/**
 * What a link does to the bytes on it. `cut`: connections are reset, new ones too. `blackhole`: bytes vanish and nobody
 * is told; connections that were there stay dead for good. `slow`: bytes come late and few at a time. `drop-replies`:
 * requests arrive, answers do not; connections that lost one are reset when the mode ends.
 */
export type LinkMode = 'pass' | 'cut' | 'blackhole' | 'slow' | 'drop-replies';

/** What a link has done to its connections so far; `droppedReplies` holds the last answers that nobody got, as text. */
export type Harm = { resets: number; frozen: number; slowed: number; dropped: number; droppedReplies: string[] };

/** A TCP proxy on loopback between one part of Pawl and one store. */
export type Link = AsyncDisposable & {
  port: number;
  setMode(mode: LinkMode): void;
  harm: Harm;
};

/** A connection on its way through the link; `isLost` once bytes of it have vanished. */
export type Passage = { client: Socket; server: Socket; isLost: boolean };
