import type { FinishReason, Usage } from '#core/turn/reply.ts';
import type { Answer } from '#test/llm/wire-server.ts';

/** A reply as a script writes it: pieces of text and reasoning, and calls whose arguments come in pieces. */
export type ScriptedReply = {
  reasoning?: string[];
  text?: string[];
  /** Their pieces are sent by turns where the wire allows it. */
  calls?: { id: string; name: string; arguments: string[] }[];
  finishReason?: FinishReason;
  usage?: Usage;
};

/** How one wire puts things. Each event is one string, with the line ends of a stream, `\n`, or the bytes of a frame. */
export type WireScript<Event extends string | Uint8Array = string> = {
  reply(reply: ScriptedReply): Event[];
  /** The events of that reply up to half of the last piece of its first call's arguments. */
  cutInCall(reply: ScriptedReply): Event[];
  /** The raw words of this wire, and what they mean. */
  finishReasons: [raw: string, FinishReason][];
  finished(raw: string, text: string): Event[];
  /** An error after the 200, of the kind that may pass. */
  errorEvent: Event[];
  /** The schema that a request's reply is held to. */
  schemaIn(body: Record<string, unknown>): unknown;
  /** A refusal before anything was sent. */
  refusal(status: number): Omit<Answer, 'ending'>;
  /** Of what a reply used, what this wire cannot say, and so is zero. */
  uncounted?: (keyof Usage)[];
  /** What says nothing and may stand before each event; comments and blank lines where it is not given. */
  noise?: Event;
  /** False if the wire has no texts to stop at. */
  takesStop?: false;
};

/** How a wire puts the same things as servers do that keep loosely to it. */
export type LooseScript = {
  /** The events of a whole text, up to the event with the reason to stop, and what a server says after that. */
  text(pieces: string[], finish?: string): string[];
  sentinel: string[];
  /** Events that say nothing, as servers send them to keep a connection open. */
  idle: string[];
  /** A text whose fields have odd types, as far as Pawl does not need them. */
  oddFields(text: string): string[];
  /** A field that is needed has an odd type. */
  unreadable: string[];
  /** A text as one JSON body. */
  whole(text: string): object;
  /** An error for a wrong key as a JSON body. */
  wrongKey: object;
  /** A call of `get_weather`, each time sent whole with the same id, or its arguments in pieces. */
  calls(calls: { id: string; args: string }[]): string[];
  callInPieces?(pieces: string[]): string[];
  /** True if an event ends a reply, whatever its reason to stop says. */
  hasEndEvent?: true;
  /** A reply of thoughts only, and a reply of nothing. */
  thoughts: string[];
  nothing: string[];
};
