import type { Fault, ScriptedUsage } from './script.ts';

/** A call as the wire carries it; `arguments` is JSON text, or what the script has instead. */
export type Call = { id: string; name: string; arguments: string };

/** What the model says. `usage` null: the model does not tell. */
export type SimulatedReply = {
  reasoning: string;
  text: string | null;
  calls: Call[];
  finishReason: string;
  usage: ScriptedUsage | null;
};

/** How a reply comes: the wait before its first byte and between two pieces, and the size of a piece. */
export type Pace = { thinkMs: number; paceMs: number; pieceChars: number; interleave: boolean };

/** A fault that shows inside a reply rather than in its place. */
export type Flaw = Exclude<Fault, { kind: 'status' | 'refuse' }>;

/** What the simulator does about one request; decided by `replyTo`, rendered by `renderAct`, done by `perform`. */
export type Act =
  | { kind: 'reply'; reply: SimulatedReply; pace: Pace; flaw: Flaw | null }
  | { kind: 'error'; status: number; headers: Record<string, string>; body: unknown; thinkMs: number }
  | { kind: 'silence' }
  | { kind: 'hang-up' };
