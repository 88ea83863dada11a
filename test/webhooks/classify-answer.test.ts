import { expect, test } from 'vitest';
import { EgressFailed, type EgressFailureKind } from '#core/egress/failure.ts';
import { classifyResponse } from '#core/webhooks/outcome.ts';

test.each([200, 201, 202, 204, 299])('%i means that the delivery is delivered', (status) => {
  expect(classifyResponse({ status })).toEqual({ kind: 'delivered' });
});

test('410 means that the delivery stops permanently', () => {
  expect(classifyResponse({ status: 410 })).toEqual({ kind: 'stop', error: expect.stringContaining('410') });
});

test.each([301, 302, 303, 304, 307, 308])(
  '%i means that the delivery is retried, since redirects are not followed',
  (status) => {
    const error = `The receiver answered ${status}: redirects are not followed.`;

    expect(classifyResponse({ status })).toEqual({ kind: 'retry', error });
  },
);

test.each([400, 401, 403, 404, 408, 409, 413, 429, 500, 502, 503, 504])(
  '%i means that the delivery is retried',
  (status) => {
    expect(classifyResponse({ status })).toEqual({ kind: 'retry', error: `The receiver answered ${status}.` });
  },
);

test.each<EgressFailureKind>(['blocked', 'not-connected', 'timeout', 'cut'])(
  '%s means that the delivery is retried',
  (kind) => {
    const failure = new EgressFailed(kind, 'It went wrong.', { sent: kind !== 'blocked' });

    expect(classifyResponse(failure)).toEqual({ kind: 'retry', error: 'It went wrong.' });
  },
);

test('a receiver that sent 200 and then stalls has the event', () => {
  const failure = new EgressFailed('timeout', 'Too slow.', { sent: true, status: 200 });

  expect(classifyResponse(failure)).toEqual({ kind: 'delivered' });
});

test('a receiver that sent 410 and then breaks off gets no more deliveries', () => {
  const failure = new EgressFailed('cut', 'Broke off.', { sent: true, status: 410 });

  expect(classifyResponse(failure)).toMatchObject({ kind: 'stop' });
});
