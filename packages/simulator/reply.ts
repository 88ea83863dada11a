import type { Fault, ScriptedUsage } from './script.ts';

/** A tool call; `arguments` is JSON text, or the text that the script has instead. */
export type Call = { id: string; name: string; arguments: string };

/** What the model replies; `usage` is null where it reports none. */
export type SimulatedReply = {
  reasoning: string;
  text: string | null;
  /** What it refuses with, behind the text. */
  refusal: string | null;
  calls: Call[];
  /** Null if the reply never ends. */
  finishReason: string | null;
  usage: ScriptedUsage | null;
};

/** The timing of a reply: the wait before its first byte and between two chunks, and the size of a chunk. */
export type Pace = { thinkMs: number; paceMs: number; chunkChars: number; interleave: boolean };

/** A fault inside a reply, rather than instead of one. */
export type Flaw = Exclude<Fault, { kind: 'status' | 'refuse' }>;

/** An HTTP error. */
export type Refusal = {
  kind: 'error';
  status: number;
  headers: Record<string, string>;
  body: unknown;
  thinkMs: number;
};

/** What one request gets: decided by `replyTo`, rendered by `renderResponse`, sent by `sendResponse`. */
export type SimulatedResponse =
  | { kind: 'reply'; reply: SimulatedReply; pace: Pace; flaw: Flaw | null }
  | Refusal
  | { kind: 'silence' }
  | { kind: 'hang-up' };
