import { checkAnthropic } from '#test/llm/check-wire/anthropic.ts';
import { type ApiAnswer, type ApiRequest, startApiServer } from './api-server.ts';
import {
  CREATED_AT,
  checkFields,
  checkIds,
  type Script,
  type ScriptedBatch,
  type ScriptedResult,
  type ScriptedServer,
} from './scripted-batches.ts';

type Line = { custom_id: string; params: Record<string, unknown> };
type State = { batches: ScriptedBatch[]; script: Script };

export const refusal = (status: number, message: string, type = 'invalid_request_error'): ApiAnswer => ({
  status,
  body: { type: 'error', error: { type, message }, request_id: 'req_1' },
});

/** Starts a server of Message Batches. It keeps no key, and shows only counts until a batch has ended. */
export async function startAnthropicServer(): Promise<ScriptedServer> {
  const state: State = { batches: [], script: {} };
  const server = await startApiServer((request) => answer(state, request));
  return { ...server, ...state, kept: () => state.batches.length };
}

function answer(state: State, request: ApiRequest): ApiAnswer {
  if (state.script.always) return state.script.always;
  const { headers, method, path } = request;
  if (headers['x-api-key'] !== 'sk-batch') return refusal(401, 'invalid x-api-key', 'authentication_error');
  if (!headers['anthropic-version'] || !headers['user-agent']) return refusal(400, 'no version or user agent');
  if (path === PATH) return method === 'POST' ? create(state, request) : list(state, request);
  const [id, more = ''] = path.startsWith(`${PATH}/`) ? path.slice(PATH.length + 1).split('/') : [];
  const batch = state.batches.find((each) => each.id === id);
  return (batch && answerAbout(state, batch, method + more)) ?? refusal(404, 'Not found', 'not_found_error');
}

const PATH = '/v1/messages/batches';

function answerAbout(state: State, batch: ScriptedBatch, route: string): ApiAnswer | undefined {
  if (route === 'GETresults') return resultsOf(batch, state.script);
  if (route === 'DELETE') return remove(state, batch);
  if (route === 'POSTcancel') batch.isCancelled = true;
  else if (route !== 'GET') return undefined;
  return { body: objectOf(batch) };
}

function create(state: State, { headers, text }: ApiRequest): ApiAnswer {
  const { creation } = state.script;
  if (creation && creation.ending !== 'lost') return creation;
  const body = JSON.parse(text);
  const lines: Line[] = body.requests;
  const isOld = headers['anthropic-version'] === '2023-06-01';
  const problems = [
    ...checkFields(body, ['requests']),
    ...(headers['content-type'] === 'application/json' ? [] : ['no JSON']),
    ...checkIds(lines.map(({ custom_id }) => custom_id)),
    ...lines.flatMap((line, index) =>
      [
        ...checkFields(line, ['custom_id', 'params']),
        ...('stream' in line.params ? ['stream: Extra inputs are not permitted'] : []),
        ...('temperature' in line.params && !isOld ? ['temperature: Extra inputs are not permitted'] : []),
        ...checkAnthropic({ ...line.params, stream: true }),
      ].map((problem) => `requests.${index}.params.${problem}`),
    ),
  ];
  if (problems.length > 0) return refusal(400, problems.join(', '));
  const batch: ScriptedBatch = {
    ...{ id: `msgbatch_${state.batches.length + 1}`, key: '', createdAt: CREATED_AT },
    ...{ ids: lines.map(({ custom_id }) => custom_id), bodies: lines.map(({ params }) => params) },
    ...{ state: 'running', isCancelled: false, results: [] },
  };
  state.batches.unshift(batch);
  return creation ?? { body: objectOf(batch) };
}

function list({ batches, script }: State, { query }: ApiRequest): ApiAnswer {
  const limit = Number(query.limit);
  if (!(limit >= 1 && limit <= 1000)) return refusal(400, 'a wrong limit');
  const seen = script.isHidden ? [] : batches;
  const from = query.after_id ? seen.findIndex(({ id }) => id === query.after_id) + 1 : 0;
  const page = seen.slice(from, from + limit);
  const ends = { first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null };
  return { body: { data: page.map(objectOf), has_more: from + limit < seen.length, ...ends } };
}

function remove(state: State, batch: ScriptedBatch): ApiAnswer {
  if (batch.state !== 'ended') return refusal(400, 'The batch has not ended.');
  state.batches.splice(state.batches.indexOf(batch), 1);
  return { body: { id: batch.id, type: 'message_batch_deleted' } };
}

function resultsOf({ state, results }: ScriptedBatch, script: Script): ApiAnswer {
  if (state !== 'ended') return refusal(404, 'The batch has no results yet.', 'not_found_error');
  const text = results
    .toReversed()
    .map((result) => `${JSON.stringify(lineOf(result))}\n`)
    .join('');
  return script.results?.(text) ?? { body: text };
}

function lineOf(result: ScriptedResult): object {
  const { id: custom_id } = result;
  if ('without' in result) {
    return { custom_id, result: { type: result.without === 'cancelled' ? 'canceled' : 'expired' } };
  }
  const { status, body } = result;
  return {
    custom_id,
    result: status === 200 ? { type: 'succeeded', message: body } : { type: 'errored', error: body },
  };
}

function objectOf({ id, createdAt, ids, state, isCancelled }: ScriptedBatch): object {
  const [processing, succeeded] = state === 'ended' ? [0, ids.length] : [ids.length, 0];
  const running = isCancelled ? 'canceling' : 'in_progress';
  return {
    ...{ id, type: 'message_batch', processing_status: state === 'ended' ? 'ended' : running },
    request_counts: { processing, succeeded, errored: 0, canceled: 0, expired: 0 },
    ...{ created_at: createdAt.toISOString(), results_url: 'https://elsewhere.example/results' },
  };
}
