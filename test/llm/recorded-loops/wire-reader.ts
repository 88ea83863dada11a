import type { Usage } from '#core/turn/reply.ts';
import type { Exchange } from '#test/llm/recordings.ts';

/** A message of a recorded request, whichever wire it was on. */
export type Said =
  | { role: 'system' | 'user'; text: string }
  | { role: 'assistant'; text: string; calls: number }
  | { role: 'tool'; id: string; text: string; isError: boolean };

export type AskedCall = { id: string; name: string; arguments: unknown };

/** A recorded request: its messages, and what of it Pawl is asked to do, in the fields of a turn. */
export type ReadRequest = {
  said: Said[];
  fields: Record<string, unknown> & { model: string; tools: { name: string }[] };
};

/** A recorded reply; `problem` is the code of the failure it is to us. */
export type ReadReply = {
  text: string;
  calls: AskedCall[];
  usage: Partial<Usage> | null;
  problem: string | null;
};

/** How recordings of one wire are read, and what leaves on it is judged. */
export type WireReader = {
  wire: 'openai' | 'openai-responses' | 'anthropic' | 'gemini';
  isOurs(api: string): boolean;
  request(exchange: Exchange<unknown>): ReadRequest;
  reply(exchange: Exchange<unknown>): ReadReply;
  /** Returns the exchanges as a client that sends the whole history would have them. Absent: as recorded. */
  exchanges?(recorded: Exchange<unknown>[]): Exchange<unknown>[];
  /** Tells why a recording cannot be played as turns; null if it can. */
  skips?(exchanges: Exchange<unknown>[]): string | null;
  /** Whether every reply has state, so that conversations without calls are played, too. */
  hasStateAlways?: boolean;
  /** Lists how our request differs from the recorded one in its state and its fields. `replies` came before it. */
  differences?(ours: object, recorded: Exchange<unknown>, replies: Exchange<unknown>[]): string[];
  /** The exchange as its server answers us. */
  answered(exchange: Exchange<unknown>): Exchange<unknown>;
  problems(body: object, model: string): string[];
};

/** What stands for a picture or a file: Pawl holds text. */
export const MEDIA = '(a file)';
