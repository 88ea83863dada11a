import { expect } from 'vitest';
import type { Answer, apiClient } from '#test/harness/api-client.ts';

type Client = Pick<ReturnType<typeof apiClient>, 'call'>;
type Refusal = { error: { type: string; code: string; message: string; param: string | null } };

const TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'invalid_request_error',
  409: 'conflict_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
  417: 'invalid_request_error',
  429: 'rate_limit_error',
  431: 'invalid_request_error',
  503: 'server_error',
};

/** Returns the refusal of a POST in short: `400 unknown_field: inputt`. Checks the whole envelope. */
export async function refusalOf(client: Client, path: string, body: unknown): Promise<string> {
  return describeRefusal(await client.call('POST', path, { body }));
}

/** Returns an answer in short. Checks that a refusal has the error envelope and a message with a sentence. */
export function describeRefusal({ status, headers, body }: Answer<unknown>): string {
  if (status < 400) return `${status} accepted`;
  const { error } = body as Refusal;
  expect(body).toEqual({
    error: { type: TYPES[status], code: error.code, message: error.message, param: error.param },
  });
  expect(headers.get('content-type')).toContain('application/json');
  expect(error.code).toMatch(/^[a-z][a-z_]*$/);
  expect(error.message).toMatch(/^.{20,}\.$/su);
  expect(error.message).not.toMatch(/\bat .*:\d+:\d+|select |insert |postgres/i);
  return `${status} ${error.code}: ${error.param}`;
}
