import type { History } from '../history.ts';

/** What the API may answer to the requests of the load (contract); 503 may always be, and says when to come again. */
const DECLARED: Record<string, number[]> = {
  'POST /v1/turns': [202],
  'POST /v1/conversations/:id/turns': [202],
  'POST /v1/turns/:id/cancel': [200, 409],
  'POST /v1/turns/:id/tool_outputs': [200, 409],
  'GET /v1/turns/:id': [200],
  'GET /v1/turns/:id/events as stream': [200, 204],
};

/** Answers that nobody declared. */
export function oddAnswers({ answers }: Pick<History, 'answers'>): string[] {
  const odd = answers.filter(({ route, status, hasRetryAfter }) =>
    status === 503 ? !hasRetryAfter : !DECLARED[route]?.includes(status),
  );
  return odd.map(({ api, route, status }) => `${api} answered ${status} to ${route}`);
}
