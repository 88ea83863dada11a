import { checkGemini } from '#test/llm/check-wire/gemini.ts';
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

type Line = { request: Record<string, unknown>; metadata: { key: string } };
type State = { batches: ScriptedBatch[]; script: Script };

export const refusal = (code: number, message: string, status = 'INVALID_ARGUMENT'): ApiAnswer => ({
  status: code,
  body: { error: { code, message, status } },
});

/** Starts a server of Gemini's inline batches. */
export async function startGeminiServer(): Promise<ScriptedServer> {
  const state: State = { batches: [], script: {} };
  const server = await startApiServer((request) => answer(state, request));
  return { ...server, ...state, kept: () => state.batches.length };
}

function answer(state: State, request: ApiRequest): ApiAnswer {
  if (state.script.always) return state.script.always;
  const { headers, method, path } = request;
  if (headers['x-goog-api-key'] !== 'sk-batch') return refusal(400, 'API key not valid.');
  if (!headers['user-agent']) return refusal(400, 'no user agent');
  const model = /^\/v1beta\/models\/([\w.-]+):batchGenerateContent$/.exec(path)?.[1];
  if (model && method === 'POST') return create(state, request, model);
  if (path === '/v1beta/batches' && method === 'GET') return list(state, request);
  const [, id, cancel = ''] = /^\/v1beta\/(batches\/\w+)(:cancel)?$/.exec(path) ?? [];
  const batch = state.batches.find((each) => each.id === id);
  return (batch && answerAbout(state, batch, method + cancel)) ?? refusal(404, 'Not found.', 'NOT_FOUND');
}

function answerAbout(state: State, batch: ScriptedBatch, route: string): ApiAnswer | undefined {
  if (route === 'GET') return whole(batch, state.script);
  if (route === 'POST:cancel') batch.isCancelled = true;
  else if (route === 'DELETE') state.batches.splice(state.batches.indexOf(batch), 1);
  else return undefined;
  return { body: {} };
}

function create(state: State, { headers, text }: ApiRequest, model: string): ApiAnswer {
  const { creation } = state.script;
  if (creation && creation.ending !== 'lost') return creation;
  const body = JSON.parse(text);
  const lines: Line[] = body.batch?.input_config?.requests?.requests ?? [];
  const problems = [
    ...checkFields(body, ['batch']),
    ...checkFields(body.batch, ['display_name', 'input_config']),
    ...(headers['content-type'] === 'application/json' ? [] : ['no JSON']),
    ...checkIds(lines.map(({ metadata }) => metadata.key)),
    ...lines.flatMap((line, index) =>
      [...checkFields(line, ['request', 'metadata']), ...checkGemini(line.request, model)].map(
        (problem) => `batch.input_config.requests.requests[${index}].request: ${problem}`,
      ),
    ),
  ];
  if (problems.length > 0) return refusal(400, problems.join(', '));
  const batch: ScriptedBatch = {
    ...{ id: `batches/b${state.batches.length + 1}`, key: body.batch.display_name, createdAt: CREATED_AT },
    ...{ ids: lines.map(({ metadata }) => metadata.key), bodies: lines.map(({ request }) => request) },
    ...{ state: 'running', isCancelled: false, results: [] },
  };
  state.batches.unshift(batch);
  return creation ?? { body: objectOf(batch) };
}

function list({ batches, script }: State, { query }: ApiRequest): ApiAnswer {
  const size = Number(query.pageSize);
  if (!(size >= 1 && size <= 100)) return refusal(400, 'a wrong page size');
  const seen = script.isHidden ? [] : batches;
  const from = Number(query.pageToken ?? 0);
  const next = from + size < seen.length ? { nextPageToken: String(from + size) } : {};
  const operations = seen.slice(from, from + size).map(objectOf);
  return { body: operations.length > 0 ? { operations, ...next } : {} };
}

function whole(batch: ScriptedBatch, script: Script): ApiAnswer {
  const body = objectOf(batch);
  return (batch.state === 'ended' && script.results?.(JSON.stringify(body, null, 2))) || { body };
}

/** Returns the operation of a batch. After its end it has all responses, and so does its metadata. */
function objectOf({ id: name, key, createdAt, state, isCancelled, results }: ScriptedBatch): object {
  const word = state === 'ended' ? 'SUCCEEDED' : isCancelled ? 'CANCELLED' : 'RUNNING';
  const metadata = { displayName: key, createTime: createdAt.toISOString(), state: `BATCH_STATE_${word}` };
  const error = { code: 8, message: 'The queue of batches is full.', status: 'RESOURCE_EXHAUSTED' };
  if (state === 'failed') return { name, metadata: { ...metadata, state: 'JOB_STATE_FAILED' }, done: true, error };
  if (state !== 'ended') return { name, metadata };
  const response = { inlinedResponses: { inlinedResponses: results.map(lineOf) } };
  return { name, metadata, done: true, response };
}

function lineOf(result: ScriptedResult): object {
  const metadata = { key: result.id };
  if ('without' in result) return { error: { code: 1, message: 'The operation was cancelled.' }, metadata };
  return result.status === 200 ? { response: result.body, metadata } : { error: result.body, metadata };
}
