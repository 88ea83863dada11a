import { expect, test } from 'vitest';
import { ProviderFailed } from '#core/failure.ts';
import { bounded } from '#core/llm/bounded.ts';
import type { Delta, Provider, RoundRequest } from '#core/llm/provider.ts';
import { settleEmpty } from '#core/llm/reply/settle-empty.ts';
import type { RequestedCall } from '#core/turn/message.ts';
import type { Reply, Usage } from '#core/turn/reply.ts';
import type { WireScript } from '#test/llm/wire-script.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

/** Returns whether an event is the sentinel at the end of some wires (`[DONE]`). */
const isSentinel = (event: string | Uint8Array) => typeof event === 'string' && event.includes('[DONE]');

export const someRequest: RoundRequest = {
  round: 1,
  model: 'some-model',
  instructions: 'Be brief.',
  messages: [{ role: 'user', content: 'Hi' }],
  tools: [],
  mayCall: true,
  declaredTools: [],
  toolChoice: 'auto',
  turnChoice: 'auto',
  parallelToolCalls: null,
  temperature: null,
  topP: null,
  reasoningEffort: null,
  reasoningSummary: null,
  verbosity: null,
  stop: null,
  seed: null,
  textFormat: null,
  maxOutputTokens: null,
  promptCache: null,
  serviceTier: null,
  providerOptions: {},
  requestId: 'turn_x-r1-a1',
};

/** Tests an adapter: bytes of its wire on a real socket lead to a reply of Pawl or a classified failure. */
export function providerExam<Event extends string | Uint8Array = string>(
  name: string,
  makeProvider: (origin: string) => Provider,
  wire: WireScript<Event>,
) {
  const ask = async (answer: Answer, bounds: Partial<{ timeoutMs: number; idleTimeoutMs: number }> = {}) => {
    await using server = await startWireServer(answer);
    const within = { timeoutMs: 20_000, idleTimeoutMs: 20_000, ...bounds };
    const provider = settleEmpty(bounded(makeProvider(server.origin), within));
    const deltas: Delta[] = [];
    const reply = await provider
      .ask(someRequest, new AbortController().signal, (delta) => deltas.push(delta))
      .catch((error: unknown) => error);
    return { reply: reply as Reply, failure: reply as ProviderFailed, deltas };
  };

  const usage: Usage = {
    input_tokens: 11,
    output_tokens: 7,
    total_tokens: 18,
    cached_input_tokens: 4,
    cache_write_tokens: 0,
    reasoning_tokens: 2,
  };
  const counted: Usage = { ...usage, ...Object.fromEntries((wire.uncounted ?? []).map((field) => [field, 0])) };
  const twoCalls = [
    { id: 'call_a', name: 'add', arguments: ['{"a":', '1}'] },
    { id: 'call_b', name: 'multiply', arguments: ['{"text":"', 'grüß dich 👋', '"}'] },
  ];
  const asked: RequestedCall[] = twoCalls.map((call) => ({ ...call, arguments: call.arguments.join('') }));
  const textOf = (deltas: Delta[], kind: Delta['kind']) =>
    deltas.flatMap((delta) => (delta.kind === kind ? delta.text : [])).join('');

  test(`${name}: text arrives in pieces and whole`, async () => {
    const { reply, deltas } = await ask({ body: wire.reply({ text: ['Hel', 'lo ', '👋🏽.'], usage }) });

    expect(reply).toMatchObject({ text: 'Hello 👋🏽.', calls: [], finishReason: 'stop', usage: counted });
    expect(deltas).toEqual(['Hel', 'lo ', '👋🏽.'].map((text) => ({ kind: 'text', text })));
  });

  test(`${name}: a request with a schema gets an answer as text`, async () => {
    await using server = await startWireServer({ body: wire.reply({ text: ['{"city":', '"Lisbon"}'] }) });
    const schema = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false };
    const textFormat = { type: 'json_schema' as const, name: 'place', schema, strict: null };
    const takesStop = wire.takesStop ?? true;
    const request = { ...someRequest, textFormat, stop: takesStop ? ['THE END'] : null };

    const reply = await makeProvider(server.origin).ask(request, new AbortController().signal, () => undefined);

    expect(reply.text).toBe('{"city":"Lisbon"}');
    expect(wire.schemaIn(server.asked[0]!.body)).toMatchObject(schema);
    expect(JSON.stringify(server.asked[0]!.body).includes('["THE END"]')).toBe(takesStop);
  });

  test(`${name}: reasoning is shown and never mixed into the text`, async () => {
    const { reply, deltas } = await ask({ body: wire.reply({ reasoning: ['Let me ', 'think.'], text: ['4'] }) });

    expect(reply.text).toBe('4');
    expect(textOf(deltas, 'reasoning')).toBe('Let me think.');
  });

  test(`${name}: parallel calls with interleaved pieces are assembled`, async () => {
    const { reply, deltas } = await ask({ body: wire.reply({ text: ['Both.'], calls: twoCalls, usage }) });

    expect(reply).toMatchObject({ text: 'Both.', calls: asked, finishReason: 'tool_calls', usage: counted });
    const second = deltas.filter((delta) => delta.kind === 'tool-arguments' && delta.index === 1);
    expect(textOf(second, 'tool-arguments')).toBe(asked[1]!.arguments);
  });

  test(`${name}: absent usage is null, not zero`, async () => {
    const { reply } = await ask({ body: wire.reply({ text: ['Hi.'] }) });

    expect(reply.usage).toBeNull();
  });

  test.each(wire.finishReasons)(
    `${name}: finish reason %s is %s, and the raw reason is kept`,
    async (raw, finishReason) => {
      const { reply } = await ask({ body: wire.finished(raw, 'Some text.') });

      expect(reply).toMatchObject({ text: 'Some text.', finishReason, finishReasonRaw: raw });
    },
  );

  test(`${name}: an empty reply fails the attempt, unless it ended by length`, async () => {
    const empty = await ask({ body: wire.reply({ finishReason: 'stop' }) });
    const cut = await ask({ body: wire.reply({ finishReason: 'length' }) });

    expect(empty.failure).toMatchObject({ code: 'provider_bad_response', retry: { kind: 'later' } });
    expect(cut.reply).toMatchObject({ text: null, calls: [], finishReason: 'length' });
  });

  test.each(['end', 'cut'] as const)(
    `${name}: a stream that ends inside a call (%s) is unavailable`,
    async (ending) => {
      const { failure } = await ask({ body: wire.cutInCall({ calls: twoCalls }), ending });

      expect(failure).toBeInstanceOf(ProviderFailed);
      expect(failure).toMatchObject({ code: 'provider_unavailable', retry: { kind: 'later' } });
    },
  );

  test(`${name}: an error event after the 200 is a failure with a retry`, async () => {
    const { failure } = await ask({ body: [...wire.reply({ text: ['Half'] }).slice(0, 1), ...wire.errorEvent] });

    expect(failure).toBeInstanceOf(ProviderFailed);
    expect(failure).toMatchObject({ retry: { kind: 'later' } });
  });

  test(`${name}: a refused key and an unknown model are not retried`, async () => {
    const key = await ask(wire.refusal(401));
    const model = await ask(wire.refusal(404));

    expect(key.failure).toMatchObject({ code: 'provider_authentication_failed', retry: { kind: 'never' } });
    expect(model.failure).toMatchObject({ code: 'provider_model_not_found', retry: { kind: 'never' } });
    expect(model.failure.provider.status).toBe(404);
  });

  test(`${name}: a 429 rate-limits the provider for the requested pause`, async () => {
    const refusal = wire.refusal(429);
    const { failure } = await ask({ ...refusal, headers: { ...refusal.headers, 'retry-after': '7' } });

    expect(failure).toMatchObject({ code: 'provider_rate_limited', retry: { kind: 'rate-limited', afterMs: 7000 } });
  });

  test.each([500, 502, 503, 529])(`${name}: a %i is retried`, async (status) => {
    const { failure } = await ask(wire.refusal(status));

    expect(failure).toMatchObject({ retry: { kind: 'later' }, provider: { status } });
  });

  test(`${name}: a port without a listener is unavailable`, async () => {
    const server = await startWireServer();
    await server[Symbol.asyncDispose]();

    const asking = makeProvider(server.origin).ask(someRequest, new AbortController().signal, () => undefined);

    await expect(asking).rejects.toMatchObject({ code: 'provider_unavailable', retry: { kind: 'later' } });
  });

  test.each(['hang', 'drip'] as const)(`${name}: silence (%s) after the first piece is a timeout`, async (ending) => {
    const body = wire.reply({ text: ['Half', ' and'] }).slice(0, 1);

    const { failure } = await ask({ body, ending }, { idleTimeoutMs: 60 });

    expect(failure).toMatchObject({ code: 'provider_timeout', retry: { kind: 'later' } });
  });

  test(`${name}: an abort ends the call at once with the reason of the caller`, async () => {
    await using server = await startWireServer({ body: wire.reply({ text: ['Half'] }).slice(0, 1), ending: 'hang' });
    const caller = new AbortController();
    const reason = new Error('the turn was cancelled');

    const asking = makeProvider(server.origin).ask(someRequest, caller.signal, () => caller.abort(reason));

    await expect(asking).rejects.toBe(reason);
    await server.left;
  });

  test(`${name}: an aborted call does not end a simultaneous call`, async () => {
    await using server = await startWireServer();
    server.answer({ body: wire.reply({ text: ['Half'] }).slice(0, 1), ending: 'hang' });
    server.answerNext({ body: wire.reply({ text: ['Whole.'] }) });
    const provider = makeProvider(server.origin);
    const caller = new AbortController();
    const begun = Promise.withResolvers<void>();

    const aborted = provider.ask(someRequest, caller.signal, () => begun.resolve());
    await begun.promise;
    const other = provider.ask(someRequest, new AbortController().signal, () => caller.abort(new Error('cancelled')));

    await expect(aborted).rejects.toThrow('cancelled');
    await expect(other).resolves.toMatchObject({ text: 'Whole.' });
  });

  test(`${name}: comments, CRLF, single bytes and a missing sentinel are accepted`, async () => {
    const events = wire.reply({ text: ['Hel', 'lo 👋'], calls: twoCalls, usage });
    const noisy = events.filter((event) => !isSentinel(event)).flatMap((event) => withNoise(event, wire.noise));
    const bytes = noisy.flatMap((event) => [...crlf(event)]).map((byte) => Uint8Array.of(byte));

    const { reply } = await ask({ body: bytes });

    expect(reply).toMatchObject({ text: 'Hello 👋', calls: asked, finishReason: 'tool_calls', usage: counted });
  });
}

function withNoise<Event extends string | Uint8Array>(event: Event, noise: Event | undefined): (string | Uint8Array)[] {
  return noise === undefined ? [': ping\n\n', event, '\n\n'] : [noise, event];
}

function crlf(event: string | Uint8Array): Uint8Array {
  return typeof event === 'string' ? Buffer.from(event.replaceAll('\n', '\r\n')) : event;
}
