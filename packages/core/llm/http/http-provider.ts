import type { ProviderFailed } from '../../failure.ts';
import type { Reply } from '../../turn/reply.ts';
import { costsNothing, nameBreakages } from '../errors/classify-breakage.ts';
import { classifyErrorObject, classifyRefusal } from '../errors/classify-refusal.ts';
import { type Asked, nameFailure } from '../errors/name-failure.ts';
import { type Ending, replyOfRefusal } from '../errors/reply-of-refusal.ts';
import { type Capabilities, type Delta, fullCapabilities, type Provider, type RoundRequest } from '../provider.ts';
import { type Outcome, readOutcome } from '../refusals/ask-again.ts';
import type { Answering, OwnWords } from '../reply/finish-reason.ts';
import { readValues } from '../reply/read-values.ts';
import { exhaustedField } from './exhausted-field.ts';
import type { AnswerHeaders, Post } from './http-client.ts';
import { listModels } from './list-models.ts';
import { type HeadersByName, mergeHeaders, secretsIn } from './merge-headers.ts';
import { eventsOf, type OpenedReply, openReply, type Refusal } from './open-reply.ts';
import { writeBody } from './write-body.ts';

/** A server of an HTTP wire, as the operator configures it. */
export type HttpServer = {
  name: string;
  /** Null for a server without a key. */
  apiKey: string | null;
  post: Post;
  /** The variables with the key and the base URL, for advice in failures. */
  keyName?: string;
  urlName?: string;
  /** The server's own words for stop reasons. */
  finishReasons?: OwnWords;
  /** The operator's headers for this server. They override all others except the headers of a turn. */
  headers?: HeadersByName;
};

/** One call of a model: its request, the names for its failures, and its watcher. */
export type Call = Answering & {
  request: RoundRequest;
  asked: Asked;
  signal: AbortSignal;
  onDelta: (delta: Delta) => void;
};

/** Collects a reply of a wire from the values of a stream, or from a complete reply. */
export type Reader<Gathered> = {
  start(answering: Answering): Gathered;
  take(reply: Gathered, value: unknown): Delta[];
  /** Notes the `[DONE]` of a stream. */
  takeDone?(reply: Gathered): void;
  /** Returns whether the server has ended the reply. */
  isFinished(reply: Gathered): boolean;
  /** Returns whether further events are ignored. */
  isOver(reply: Gathered): boolean;
  finish(reply: Gathered, answering: Answering): Reply;
  /** Returns the end of a reply in the words of the wire. */
  writeEnding(ending: Ending): unknown;
  /** Returns the failure of an error inside a 200, if the wire has its own rules. */
  failureOf?(error: unknown, headers: AnswerHeaders, asked: Asked): ProviderFailed;
  /** The name of a reply of the wire. */
  noun: string;
};

type Target = { url: string; headers: HeadersByName };

/** Sends a body, and reads its answer. `by` replaces the call and the way to read. */
export type Send<Body> = (body: Body, by?: { call: Call; read: Reading }) => Promise<Outcome>;
type Reading = (opened: OpenedReply, call: Call) => Promise<Reply>;

/** The differences between the HTTP wires. */
export type HttpWire<Body extends object> = {
  wire: Capabilities['wire'];
  /** Headers for all servers of the wire. */
  customHeaders?: HeadersByName | undefined;
  /** The targets for the list of models and for a body. */
  listAt(): Target | Promise<Target>;
  postAt(request: RoundRequest, body: Body): Target | Promise<Target>;
  /** Asks with one or more bodies until there is a reply. */
  ask(call: Call, send: Send<Body>): Promise<Reply>;
  read(opened: OpenedReply, call: Call, body: Body): Promise<Reply>;
  /** Makes a complete reply from a refusal that reports a reply, or returns null. */
  replyIn?(refusal: Refusal): OpenedReply | null;
  /** Returns the failure of a refusal, if the wire has its own rules. */
  classify?(refusal: Refusal, asked: Asked): ProviderFailed;
};

/** Makes a provider for a server of a wire, without retries and timeouts. */
export function httpProvider<Body extends object>(server: HttpServer, wire: HttpWire<Body>): Provider {
  const { name, finishReasons: ownWords } = server;
  const named = namesOf(server, wire.customHeaders);
  return {
    name,
    capabilities: fullCapabilities(wire.wire),
    async listModels(signal) {
      const { url, headers } = await wire.listAt();
      return listModels(server.post, { url, headers: mergeHeaders(headers, server), signal });
    },
    ask(request, signal, onDelta) {
      const asked: Asked = { ...named, model: request.model };
      const toolNames = request.tools.map((tool) => tool.name);
      const call: Call = { provider: name, toolNames, ownWords, request, asked, signal, onDelta };
      return nameBreakages(asked, signal, () =>
        wire.ask(call, (body, by = { call, read: (opened, read) => wire.read(opened, read, body) }) =>
          send(body, by, { server, wire }),
        ),
      );
    },
  };
}

/** Returns the names of a server for its failures, and the secrets that no failure may quote. */
export function namesOf(server: HttpServer, customHeaders: HeadersByName = {}): Asked {
  const { name, apiKey, keyName = `the key of ${name}`, urlName } = server;
  const secrets = secretsIn({ ...customHeaders, ...server.headers });
  return { provider: name, apiKey, secrets, keyName, ...(urlName && { urlName }) };
}

/** Returns the headers that identify a request in the logs of its provider. */
export function requestHeaders({ requestId, trace }: RoundRequest): Record<string, string> {
  return { 'x-client-request-id': requestId, ...trace };
}

type At<Body extends object> = { server: HttpServer; wire: HttpWire<Body> };

async function send<Body extends object>(
  body: Body,
  { call, read }: { call: Call; read: Reading },
  at: At<Body>,
): Promise<Outcome> {
  const { classify = classifyRefusal } = at.wire;
  const opened = await open(body, call, at);
  if (opened.kind !== 'refused') return readOutcome(call.onDelta, (onDelta) => read(opened, { ...call, onDelta }));
  // Some servers report a reply as a refusal.
  const reply = replyOfRefusal(opened);
  return reply ? { kind: 'reply', reply } : { ...opened, failure: classify(opened, call.asked) };
}

export async function open<Body extends object>(
  body: Body,
  { request, signal }: Call,
  { server, wire }: At<Body>,
): Promise<OpenedReply | Refusal> {
  const opened = await (request.exchange?.(body) ?? openAt(await wire.postAt(request, body)));
  signal.throwIfAborted();
  return (opened.kind === 'refused' && wire.replyIn?.(opened)) || opened;

  async function openAt({ url, headers }: Target): Promise<OpenedReply | Refusal> {
    const merged = mergeHeaders(headers, server, request);
    return openReply(server.post, { url, headers: merged, body: await writeBody(body), signal });
  }
}

export async function readReply<Gathered>(opened: OpenedReply, reader: Reader<Gathered>, call: Call): Promise<Reply> {
  const reply = reader.start(call);
  await readInto(reply, opened, { reader, call });
  return { ...reader.finish(reply, call), ...exhaustedField(opened.headers) };
}

type Into<Gathered> = { reader: Reader<Gathered>; call: Call };

/** Adds an answer to a reply. JSON that is not a reply of the wire fails. A stream without its end was cut. */
export async function readInto<Gathered>(reply: Gathered, opened: OpenedReply, reading: Into<Gathered>) {
  const { reader, call } = reading;
  try {
    await takeEvents(reply, opened, reading);
  } catch (error) {
    if (!reader.isFinished(reply) || !costsNothing(error)) throw error;
  }
  call.signal.throwIfAborted();
  if (opened.kind !== 'whole' || reader.isFinished(reply)) return;
  throw nameFailure('provider_bad_response', { ...call.asked, reason: `not a ${reader.noun}` });
}

async function takeEvents<Gathered>(reply: Gathered, opened: OpenedReply, { reader, call }: Into<Gathered>) {
  const { writeEnding, failureOf = classifyErrorObject } = reader;
  const errors = { writeEnding, failureOf: (error: unknown) => failureOf(error, opened.headers, call.asked) };
  for await (const events of eventsOf(opened)) {
    call.signal.throwIfAborted();
    // Each value is read separately, so that a broken event does not lose the events before it.
    for (const event of events) {
      const isDone = event.data.trim() === '[DONE]';
      if (isDone) reader.takeDone?.(reply);
      const values = isDone ? [] : readValues(event, errors);
      for (const delta of values.flatMap((value) => reader.take(reply, value))) call.onDelta(delta);
      if (reader.isOver(reply)) return;
    }
  }
}
