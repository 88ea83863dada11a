import type { Usage } from '#core/turn/reply.ts';
import type { Exchange } from '#test/llm/recordings.ts';

export type Said =
  | { role: 'system' | 'user'; text: string }
  | { role: 'assistant'; text: string; calls: number }
  | { role: 'tool'; id: string; text: string; isError: boolean };

export type AskedCall = { id: string; name: string; arguments: unknown };

/** A recorded request: its messages, and its settings in the fields of a turn. */
export type ReadRequest = {
  said: Said[];
  fields: Record<string, unknown> & { model: string; tools: { name: string }[] };
};

/** A recorded reply. `problem` is the code of the failure that Pawl reports. */
export type ReadReply = {
  text: string;
  calls: AskedCall[];
  usage: Partial<Usage> | null;
  problem: string | null;
};

/** A reader of the recordings of one wire, which also checks the sent requests. */
export type WireReader = {
  wire: 'openai' | 'openai-responses' | 'anthropic' | 'gemini';
  isOurs(api: string): boolean;
  request(exchange: Exchange<unknown>): ReadRequest;
  reply(exchange: Exchange<unknown>): ReadReply;
  /** Returns the exchanges as a client that sends the whole history would have them. Absent: as recorded. */
  exchanges?(recorded: Exchange<unknown>[]): Exchange<unknown>[];
  /** Returns the reason why a recording cannot be played as turns, or null. */
  skips?(exchanges: Exchange<unknown>[]): string | null;
  /** Whether every reply has state, so that conversations without calls are played too. */
  hasStateAlways?: boolean;
  /** Returns how our request differs from the recorded request in state and fields. `replies` are earlier replies. */
  differences?(ours: object, recorded: Exchange<unknown>, replies: Exchange<unknown>[]): string[];
  /** Returns the exchange as its server answers Pawl. */
  answered(exchange: Exchange<unknown>): Exchange<unknown>;
  problems(body: object, model: string): string[];
};

/** The text that replaces a picture or a file, because Pawl stores text. */
export const MEDIA = '(a file)';
