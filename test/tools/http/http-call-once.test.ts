import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { runCall } from '#core/tools/run/call.ts';
import { createServer, listen } from '#test/harness/servers/create-server.ts';
import { callContext, preparedCall } from '../calls.ts';

type AnswerRequest = (response: ServerResponse, request: IncomingMessage) => unknown;

/** Starts an HTTP tool that answers after its effect. `seen.calls` counts its effects. */
async function openTool(answer: AnswerRequest) {
  const seen = { calls: 0 };
  const server = createServer(async (request, response) => {
    await request.toArray();
    seen.calls += 1;
    answer(response, request);
  });
  const { origin, [Symbol.asyncDispose]: close } = await listen(server);
  return { url: `${origin}/`, seen, [Symbol.asyncDispose]: close };
}

const status =
  (code: number, headers = {}): AnswerRequest =>
  (response) =>
    response.writeHead(code, headers).end('no');

const answers: [what: string, answer: AnswerRequest][] = [
  ...[400, 401, 403, 404, 408, 409, 421, 425, 429, 500, 502, 503].map((code): [string, AnswerRequest] => [
    `${code}`,
    status(code),
  ]),
  ['a redirect to itself', status(307, { location: '/' })],
  ['a redirect within its origin', status(308, { location: '/elsewhere' })],
  ['a reset', (response) => response.socket?.resetAndDestroy()],
  ['a closed connection', (response) => response.socket?.end()],
  [
    'an answer that is cut',
    (response) => response.writeHead(200, { 'content-length': 100 }).write('start', () => response.destroy()),
  ],
  ['bytes that are no HTTP', (response) => response.socket?.end('nonsense\r\n\r\n')],
];

describe.each(['at_most_once', 'idempotent', 'none'] as const)('a call of an HTTP tool of effect %s', (effect) => {
  test.each(answers)('that is answered with %s is sent once for each recorded attempt', async (_, answer) => {
    await using tool = await openTool(answer);
    await using context = callContext([]);
    const execution = { kind: 'http', url: tool.url };
    const retry = { max_attempts: 2, backoff_ms: 0 };

    const { result } = await runCall(preparedCall({ name: 'tool', execution, effect, retry }), context);

    expect(result.status).toBe('error');
    expect(tool.seen.calls).toBe(result.attempts);
    if (effect === 'at_most_once') expect(result.attempts).toBe(1);
  });
});
