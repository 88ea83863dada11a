import type { ScriptedCitation, ScriptedHosted } from './responses/scripted-hosted.ts';
import type { Fault, ScriptedBackground, ScriptedUsage } from './script.ts';

/** A tool call. `arguments` is JSON text, or the broken text of the script. */
export type Call = { id: string; name: string; arguments: string };

/** The reply of the model. `usage` is null if the model reports none. */
export type SimulatedReply = {
  reasoning: string;
  text: string | null;
  /** The text of a refusal, which follows `text`. */
  refusal: string | null;
  calls: Call[];
  /** Calls of hosted tools, before the text, and the citations of the text. */
  hosted: ScriptedHosted[];
  citations: ScriptedCitation[];
  /** Null if the reply never ends. */
  finishReason: string | null;
  usage: ScriptedUsage | null;
};

/** The timing of a reply: the wait before its first byte and between two chunks, and the size of a chunk. */
export type Pace = { thinkMs: number; paceMs: number; chunkChars: number; interleave: boolean };

/** A fault inside a reply. Other faults replace the reply. */
export type Flaw = Exclude<Fault, { kind: 'status' | 'refuse' }>;

export type Refusal = {
  kind: 'error';
  status: number;
  headers: Record<string, string>;
  body: unknown;
  thinkMs: number;
};

/** The response to a request: decided by `replyTo`, rendered by `renderResponse`, sent by `sendResponse`. */
export type SimulatedResponse =
  | {
      kind: 'reply';
      reply: SimulatedReply;
      pace: Pace;
      flaw: Flaw | null;
      /** How a background response is produced, if the script says so. */
      background: ScriptedBackground | null;
    }
  | Refusal
  | { kind: 'silence' }
  | { kind: 'hang-up' };
