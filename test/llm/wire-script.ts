import type { FinishReason, Usage } from '#core/turn/reply.ts';
import type { Answer } from '#test/llm/wire-server.ts';

/** A scripted reply: pieces of text and reasoning, and calls with arguments in pieces. */
export type ScriptedReply = {
  reasoning?: string[];
  text?: string[];
  /** The pieces are interleaved if the wire allows it. */
  calls?: { id: string; name: string; arguments: string[] }[];
  finishReason?: FinishReason;
  usage?: Usage;
};

/** The form of one wire. Each event is one string, with the line ends `\n` of a stream, or the bytes of a frame. */
export type WireScript<Event extends string | Uint8Array = string> = {
  reply(reply: ScriptedReply): Event[];
  /** Returns the events of that reply up to half of the last piece of its first call's arguments. */
  cutInCall(reply: ScriptedReply): Event[];
  /** The raw finish reasons of this wire, and their meanings. */
  finishReasons: [raw: string, FinishReason][];
  finished(raw: string, text: string): Event[];
  /** An error after the 200, of a temporary kind. */
  errorEvent: Event[];
  /** Returns the schema for the reply of a request. */
  schemaIn(body: Record<string, unknown>): unknown;
  refusal(status: number): Omit<Answer, 'ending'>;
  /** The counts of a usage that this wire cannot report, so they are zero. */
  uncounted?: (keyof Usage)[];
  /** A meaningless event that may be before each event. By default comments and blank lines. */
  noise?: Event;
  /** False if the wire has no stop sequences. */
  takesStop?: false;
};

/** The form of one wire as servers send it that follow the wire loosely. */
export type LooseScript = {
  /** Returns the events of a whole text, up to the stop reason. `sentinel` follows them. */
  text(pieces: string[], finish?: string): string[];
  sentinel: string[];
  /** Meaningless events that servers send to keep a connection open. */
  idle: string[];
  /** Returns a text with odd types in fields that Pawl does not need. */
  oddFields(text: string): string[];
  /** An odd type in a field that Pawl needs. */
  unreadable: string[];
  whole(text: string): object;
  wrongKey: object;
  /** Returns calls of `get_weather`, each sent whole, or its arguments in pieces. */
  calls(calls: { id: string; args: string }[]): string[];
  callInPieces?(pieces: string[]): string[];
  /** True if an event ends a reply even without a valid stop reason. */
  hasEndEvent?: true;
  /** A reply of only thoughts, and an empty reply. */
  thoughts: string[];
  nothing: string[];
};
