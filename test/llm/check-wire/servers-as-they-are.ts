import { expect, test } from 'vitest';
import type { Provider } from '#core/llm/provider.ts';
import type { Message } from '#core/turn/message.ts';
import type { LooseScript } from '#test/llm/wire-script.ts';
import { askLoosely, callsAsTheyAre } from './calls-as-they-are.ts';

const TYPES = ['text/event-stream', 'text/plain', 'text/html', 'application/octet-stream', 'application/json'];
const bern = '{"city":"Bern"}';
const user: Message = { role: 'user', content: 'Weather in Bern?' };
const round: Message = {
  role: 'assistant',
  content: null,
  calls: [{ id: 'call_1', name: 'get_weather', arguments: bern }],
};
const result: Message = { role: 'tool', callId: 'call_1', name: 'get_weather', content: '22', isError: false };

/**
 * Tests servers that follow a wire loosely. Empty events are skipped, and whole replies count. A truncated or
 * filtered reply is not a success, a repeated call is one call, and state is sent back unchanged.
 */
export function serversAsTheyAre(name: string, makeProvider: (origin: string) => Provider, wire: LooseScript) {
  callsAsTheyAre(name, makeProvider, wire);
  const ask = askLoosely(makeProvider);
  const whole = wire.text(['Hel', 'lo.']);
  const typed = (type: string) => ({ 'content-type': type });
  const failed = { code: 'provider_bad_response', retry: { kind: 'later' } };

  test.each([...wire.idle, 'data:\n\n', 'data: ping\n\n', 'data: {}\n\n', 'data: []\n\n', 'event: x\ndata: null\n\n'])(
    `${name}: the event %j is ignored at any position`,
    async (idle) => {
      const body = [...whole, ...wire.sentinel].flatMap((event) => [idle, event]);

      const { reply, deltas } = await ask({ body: [...body, idle] });

      expect(reply).toMatchObject({ text: 'Hello.', finishReason: 'stop' });
      expect(deltas.map(({ text }) => text).join('')).toBe('Hello.');
    },
  );

  test.each(['result', 'response', 'data'])(
    `${name}: a value is also read from the field %s of a gateway`,
    async (field) => {
      const wrap = (value: unknown) => JSON.stringify({ [field]: value, success: true });
      const events = whole.map((event) =>
        event.replace(/^data: (.*)$/m, (_, data) => `data: ${wrap(JSON.parse(data))}`),
      );

      await expect(ask({ body: events })).resolves.toMatchObject({ reply: { text: 'Hello.' } });
      await expect(ask({ body: [wrap(wire.whole('Hello.'))] })).resolves.toMatchObject({ reply: { text: 'Hello.' } });
      await expect(ask({ body: [wrap(wire.wrongKey)] })).rejects.toMatchObject({
        code: 'provider_authentication_failed',
      });
    },
  );

  test(`${name}: a field of an odd type is ignored if the reply is complete without it`, async () => {
    const { reply } = await ask({ body: [...wire.oddFields('Hello.'), ...wire.sentinel] });

    expect(reply).toMatchObject({ text: 'Hello.', finishReason: 'stop' });
  });

  test(`${name}: an unreadable text fails the attempt`, async () => {
    await expect(ask({ body: [...wire.unreadable, ...wire.sentinel] })).rejects.toMatchObject(failed);
  });

  test(`${name}: broken JSON fails the attempt only before the stop reason`, async () => {
    const broken = 'data: {"half": \n\n';

    await expect(ask({ body: [broken, ...whole] })).rejects.toMatchObject(failed);
    await expect(ask({ body: [...whole, broken] })).resolves.toMatchObject({ reply: { text: 'Hello.' } });
  });

  test(`${name}: a stream that ends or breaks after the stop reason counts`, async () => {
    for (const ending of ['end', 'cut'] as const) {
      await expect(ask({ body: whole, ending })).resolves.toMatchObject({ reply: { text: 'Hello.' } });
    }
  });

  test(`${name}: events without a blank line between them are read separately`, async () => {
    const body = [...whole, ...wire.sentinel].map((event) => event.replace(/^event: .*\n/, '').trimEnd());

    await expect(ask({ body: [`${body.join('\n')}\n\n`] })).resolves.toMatchObject({ reply: { text: 'Hello.' } });
  });

  test.each(TYPES)(`${name}: a reply is read as JSON or as events with any content type %s`, async (type) => {
    const json = await ask({ headers: typed(type), body: ['\n ', JSON.stringify(wire.whole('Hello.'))] });
    const late = await ask({ headers: typed(type), body: [' '.repeat(300) + JSON.stringify(wire.whole('Hello.'))] });
    const events = await ask({ headers: typed(type), body: whole });

    expect(json.reply).toMatchObject({ text: 'Hello.', finishReason: 'stop' });
    expect(late.reply).toEqual(json.reply);
    expect(events.reply).toMatchObject({ text: 'Hello.', finishReason: 'stop' });
  });

  test.each(TYPES)(`${name}: an error with status 200 is an error, as JSON or event of %s`, async (type) => {
    const text = JSON.stringify(wire.wrongKey);
    const refused = { code: 'provider_authentication_failed', retry: { kind: 'never' } };

    await expect(ask({ headers: typed(type), body: [text] })).rejects.toMatchObject(refused);
    await expect(ask({ headers: typed(type), body: [`data: ${text}\n\n`] })).rejects.toMatchObject(refused);
  });

  test.each(['error', 'ABORT', 'network_error', 'cancelled', 'function_call_filter: MALFORMED_FUNCTION_CALL'])(
    `${name}: a reply that stopped with %s is a failed attempt`,
    async (word) => {
      await expect(ask({ body: wire.text(['Half'], word) })).rejects.toMatchObject(failed);
    },
  );

  test.each([
    ['sensitive', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['guardrail_intervened', 'content_filter'],
    ['max-tokens', 'length'],
    ['eos_token', 'stop'],
    ['Stop', 'stop'],
    ['endTurn', 'stop'],
    ['FINISH_REASON_STOP', 'stop'],
    ['FinishReason.MAX_TOKENS', 'length'],
    ['ContentFilter', 'content_filter'],
    ['content_filter: RECITATION', 'content_filter'],
    ['a new word', 'other'],
  ])(`${name}: a reply that stopped with %s is %s`, async (word, finishReason) => {
    const { reply } = await ask({ body: wire.text(['Some'], word) });

    expect(reply).toMatchObject({ text: 'Some', finishReason, finishReasonRaw: word });
  });

  test(`${name}: a stop reason for a truncated or filtered reply takes precedence`, async () => {
    for (const [word, finishReason] of [
      ['max_tokens', 'length'],
      ['content_filter', 'content_filter'],
    ] as const) {
      const { reply } = await ask({ body: [...wire.text(['Half'], word), ...wire.text([], 'stop')] });

      expect(reply).toMatchObject({ text: 'Half', finishReason });
    }
    await expect(ask({ body: [...wire.text(['Half'], 'error'), ...wire.text([], 'stop')] })).rejects.toMatchObject(
      failed,
    );
  });

  test.skipIf(wire.hasEndEvent)(`${name}: a meaningless stop reason does not end a reply`, async () => {
    const cut = { code: 'provider_unavailable' };

    for (const word of ['FINISH_REASON_UNSPECIFIED', 'unspecified', 'null']) {
      await expect(ask({ body: wire.text(['Half'], word) })).rejects.toMatchObject(cut);
    }
  });

  test(`${name}: an unknown stop reason is not a success, even without a text`, async () => {
    const { reply, asked } = await ask({ body: wire.text([], 'a new word') });

    expect(reply).toMatchObject({ text: null, finishReason: 'other' });
    expect(asked).toHaveLength(1);
  });

  test(`${name}: a reply of only thoughts counts, and an empty reply fails`, async () => {
    const { reply } = await ask({ body: wire.thoughts });

    expect(reply).toMatchObject({ text: null, calls: [], finishReason: 'stop' });
    await expect(ask({ body: wire.nothing })).rejects.toMatchObject(failed);
  });

  test(`${name}: an empty reply after results is repeated once, then counts`, async () => {
    const messages = [user, round, result];

    const once = await ask([{ body: wire.nothing }, { body: whole }], { messages });
    const twice = await ask({ body: wire.nothing }, { messages });

    expect(once.reply).toMatchObject({ text: 'Hello.', requests: 2 });
    expect(once.asked[1]!.body).toEqual(once.asked[0]!.body);
    expect(twice.reply).toMatchObject({ text: null, calls: [], finishReason: 'stop', requests: 2 });
    expect(twice.asked).toHaveLength(2);
  });

  test.each([
    ['of Kimi', 'functions.get_weather:0'],
    ['with other characters', 'call with/odd#signs°'],
    ['of 54 characters', `chatcmpl-tool-${'0'.repeat(40)}`],
    ['with a signature of thoughts', `call_1__thought__${'Cs/+'.repeat(1000)}`],
  ])(`${name}: an id %s is sent back to its server with its result`, async (_, given) => {
    const { reply } = await ask({ body: wire.calls([{ id: given, args: bern }]) });
    const state = {
      provider: makeProvider('http://localhost').name,
      state: JSON.parse(JSON.stringify(reply.opaque)),
    };
    // Pawl replaces a malformed id.
    const isKept = /^[a-zA-Z0-9_-]{1,64}$/.test(given);
    const callId = isKept ? given : 'call_1';
    const own: Message = {
      role: 'assistant',
      content: null,
      calls: [{ id: callId, name: 'get_weather', arguments: bern }],
      opaque: state,
    };
    const answer: Message = { ...result, callId } as Message;

    const next = await ask({ body: whole }, { messages: [user, own, answer] });
    const foreign: Message = { ...own, opaque: { ...state, provider: 'elsewhere' } };
    const elsewhere = await ask({ body: whole }, { messages: [user, foreign, answer] });

    expect(JSON.stringify(next.asked[0]!.body).split(JSON.stringify(given))).toHaveLength(3);
    if (!isKept) expect(JSON.stringify(elsewhere.asked[0]!.body)).not.toContain(given);
  });
}
