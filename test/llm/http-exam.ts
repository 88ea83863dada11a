import { expect, test } from 'vitest';
import { makeHttpClient } from '#core/llm/http/http-client.ts';
import type { Provider } from '#core/llm/provider.ts';
import { someRequest } from '#test/llm/provider-exam.ts';
import type { WireScript } from '#test/llm/wire-script.ts';
import { type Answer, startWireServer } from '#test/llm/wire-server.ts';

export const KEY = 'AIzaTestKey-123456';

/** The HTTP form of a wire: its path, the headers with the key, and fields of its body. */
type HttpScript = { wire: WireScript; path: RegExp; keyHeaders: Record<string, string>; body: object };

const signal = new AbortController().signal;
const json = { 'content-type': 'application/json' };

/** Tests a wire that Pawl speaks over HTTP: the request, the key and the connections. */
export function httpExam(
  name: string,
  makeProvider: (origin: string, more?: object) => Provider,
  { wire, path, keyHeaders, body }: HttpScript,
) {
  async function ask(answer: Answer, more: object = {}) {
    await using server = await startWireServer(answer);
    const provider = makeProvider(server.origin, more);
    const reply = await provider.ask(someRequest, signal, () => undefined).catch((error) => error);
    return { reply, asked: server.asked };
  }
  const hi = { body: wire.reply({ text: ['Hi.'] }) };

  test(`${name}: a call is one request, with the key in headers only and a request id`, async () => {
    const { asked } = await ask(hi);

    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({ path: expect.stringMatching(path), body });
    expect(asked[0]!.headers).toMatchObject({ ...keyHeaders, 'x-client-request-id': 'turn_x-r1-a1' });
    expect(JSON.stringify([asked[0]!.path, asked[0]!.body])).not.toContain(KEY);
  });

  test(`${name}: no key header is sent without a key`, async () => {
    const { asked } = await ask(hi, { apiKey: null });

    for (const header of Object.keys(keyHeaders)) expect(asked[0]!.headers[header]).toBeUndefined();
  });

  test(`${name}: a refusal is requested once, because adapters do not retry`, async () => {
    const { reply, asked } = await ask({ ...wire.refusal(500), headers: { ...json, 'x-should-retry': 'true' } });

    expect(reply).toMatchObject({ code: 'provider_unavailable' });
    expect(asked).toHaveLength(1);
  });

  test(`${name}: sequential calls share a connection`, async () => {
    await using server = await startWireServer(hi);
    const provider = makeProvider(server.origin, { post: makeHttpClient().post });

    for (let call = 0; call < 10; call += 1) await provider.ask(someRequest, signal, () => undefined);

    expect(server.connections()).toBeLessThan(5);
  });

  test.each(['{"hello":"world"}', 'no json at all'])(`${name}: a 200 with %s is a bad response`, async (text) => {
    const { reply } = await ask({ headers: json, body: [text] });

    expect(reply).toMatchObject({ code: 'provider_bad_response', retry: { kind: 'later' } });
  });

  test(`${name}: a failure hides the key, headers and pages of HTML`, async () => {
    const message = `Bad key ${KEY} in https://x/?key=${KEY}, you sent "Bearer ${KEY}"`;
    const leak = JSON.stringify({ error: { message, code: 'invalid_api_key', type: 'authentication_error' } });
    const refused = await ask({ status: 401, headers: json, body: [leak] });
    const inside = await ask({ body: [`event: error\ndata: ${leak}\n\n`] });
    const page = await ask({ status: 502, body: ['<html>Bad gateway</html>'] });

    for (const { reply } of [refused, inside]) {
      expect(JSON.stringify({ ...reply, message: reply.message })).not.toContain(KEY);
      expect(reply.message).toContain('[redacted]');
      expect(reply.message).toMatch(/Check the key of \w+\./);
    }
    expect(page.reply.message).toMatch(/^\w+ could not be reached, or closed the connection \(502\)\.$/);
  });
}
