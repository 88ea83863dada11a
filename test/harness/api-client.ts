import type { TurnResource } from '#core/turn/resource/turn.ts';
import { isTerminal } from '#core/turn/turn.ts';

/** An answer of the API with its body read. Tests name its expected shape. */
export type Answer<Body> = { status: number; headers: Headers; body: Body };

/** Makes a client that calls an API over HTTP. */
export function apiClient(url: string, key?: string) {
  const authorization: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};

  async function call<Body = Record<string, unknown>>(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer<Body>> {
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...authorization, ...content, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : null) as Body };
  }

  return {
    call,
    startTurn: async (request: Record<string, unknown>): Promise<TurnResource> => {
      const { status, body } = await call<TurnResource>('POST', '/v1/turns', {
        body: { model: 'openai/test', ...request },
      });
      if (status !== 202) throw new Error(`expected 202, got ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    /** Long-polls until the turn has ended, without a limit. */
    untilEnded: async (id: string): Promise<TurnResource> => {
      for (;;) {
        const { body } = await call<TurnResource>('GET', `/v1/turns/${id}?wait=20`);
        if (isTerminal(body.status)) return body;
      }
    },
    findTurn: async (id: string): Promise<TurnResource> => (await call<TurnResource>('GET', `/v1/turns/${id}`)).body,
    listEvents: async (id: string): Promise<Record<string, unknown>[]> =>
      (await call<{ data: Record<string, unknown>[] }>('GET', `/v1/turns/${id}/events?limit=1000`)).body.data,
  };
}
