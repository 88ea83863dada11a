import { checkOpenai } from '#test/llm/check-wire/openai.ts';
import { checkOpenaiResponses } from '#test/llm/check-wire/openai-responses.ts';
import { type ApiAnswer, type ApiRequest, startApiServer } from './api-server.ts';
import {
  CREATED_AT,
  checkFields,
  checkIds,
  type Script,
  type ScriptedBatch,
  type ScriptedServer,
} from './scripted-batches.ts';

type Line = { custom_id: string; method: string; url: string; body: Record<string, unknown> };
type Files = Map<string, string>;
type State = { files: Files; batches: ScriptedBatch[]; script: Script; takesExpiry: boolean; fullQueue: boolean };

export type OpenaiServer = ScriptedServer & { files: Files; state: State };

export const refusal = (status: number, message: string, code: string | null = null): ApiAnswer => ({
  status,
  body: { error: { message, type: 'invalid_request_error', param: null, code } },
});

/** Starts a server of OpenAI's Files and Batch. Its results are in two files, in another order. */
export async function startOpenaiServer(): Promise<OpenaiServer> {
  const state: State = { files: new Map(), batches: [], script: {}, takesExpiry: true, fullQueue: false };
  const server = await startApiServer((request) => answer(state, request));
  const { files, batches, script } = state;
  return { ...server, files, state, batches, script, kept: () => files.size };
}

function answer(state: State, request: ApiRequest): ApiAnswer {
  if (state.script.always) return state.script.always;
  if (request.headers.authorization !== 'Bearer sk-batch') return refusal(401, 'Incorrect API key provided.');
  if (request.headers['user-agent'] === undefined) return refusal(400, 'no user agent');
  const [, version, kind, id = '', more] = request.path.split('/');
  if (version !== 'v1') return refusal(404, `Invalid URL (${request.method} ${request.path})`);
  const route = `${request.method} ${kind}${id ? '/:id' : ''}${more ? `/${more}` : ''}`;
  return ROUTES[route]?.(state, request, id) ?? refusal(404, `Invalid URL (${request.method} ${request.path})`);
}

const ROUTES: Record<string, (state: State, request: ApiRequest, id: string) => ApiAnswer | undefined> = {
  'POST files': upload,
  'DELETE files/:id': ({ files }, _, id) => (files.delete(id) ? { body: { id, deleted: true } } : undefined),
  'GET files/:id/content': ({ files, script }, _, id) => {
    const text = files.get(id);
    if (text === undefined) return undefined;
    return (id.startsWith('out') && script.results?.(text)) || { body: text };
  },
  'POST batches': create,
  'GET batches': list,
  'GET batches/:id': ({ batches, files }, _, id) => {
    const batch = batches.find((each) => each.id === id);
    return batch && { body: objectOf(batch, files) };
  },
  'POST batches/:id/cancel': ({ batches, files }, _, id) => {
    const batch = batches.find((each) => each.id === id);
    if (!batch) return undefined;
    batch.isCancelled = true;
    return { body: objectOf(batch, files) };
  },
};

function upload({ files, takesExpiry }: State, { headers, text }: ApiRequest): ApiAnswer {
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = text.split(`--${boundary}`);
  const fields = new Map(
    parts.slice(1, -1).map((part) => {
      const [, name = '', value = ''] = /name="([^"]+)".*?\r\n\r\n(.*)\r\n$/s.exec(part) ?? [];
      return [name, { value, name: /filename="([^"]+)"/.exec(part)?.[1] ?? '' }];
    }),
  );
  const hasExpiry = [...fields.keys()].some((name) => name.startsWith('expires_after'));
  if (parts.at(-1) !== '--\r\n') return refusal(400, 'a form without an end');
  if (hasExpiry && !takesExpiry) return refusal(400, "Unknown parameter: 'expires_after[anchor]'.");
  const expiry = ['expires_after[anchor]', 'expires_after[seconds]'];
  const unknown = [...fields.keys()].filter((name) => !['purpose', 'file', ...expiry].includes(name));
  if (unknown.length > 0) return refusal(400, `Unknown parameter: '${unknown[0]}'.`);
  if (fields.get('purpose')?.value !== 'batch') return refusal(400, 'a wrong purpose');
  const file = fields.get('file');
  if (!file?.name.endsWith('.jsonl')) return refusal(400, 'a file without .jsonl');
  const id = `file_${files.size + 1}`;
  files.set(id, file.value);
  return { body: { id, object: 'file', purpose: 'batch' } };
}

function create(state: State, { headers, text }: ApiRequest): ApiAnswer | undefined {
  const body = JSON.parse(text);
  const { input_file_id: file, endpoint, metadata } = body;
  const problems = [
    ...checkFields(body, ['input_file_id', 'endpoint', 'completion_window', 'metadata']),
    ...(headers['content-type'] === 'application/json' ? [] : ['no JSON']),
    ...(body.completion_window === '24h' ? [] : ['a wrong window']),
    ...(state.files.has(file) ? [] : ['no such file']),
  ];
  if (problems.length > 0) return refusal(400, problems.join(', '));
  const { creation } = state.script;
  if (creation && creation.ending !== 'lost') return creation;
  const lines: Line[] = (state.files.get(file) ?? '')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const batch: ScriptedBatch = {
    ...{ id: `batch_${state.batches.length + 1}`, key: metadata.pawl_batch, createdAt: CREATED_AT },
    ...{ ids: lines.map(({ custom_id }) => custom_id), bodies: lines.map((line) => line.body) },
    ...{ state: 'running', isCancelled: false, results: [] },
  };
  state.batches.unshift(batch);
  inputs.set(batch, { file, errors: errorsIn(lines, endpoint, state) });
  if (inputs.get(batch)?.errors.length) batch.state = 'failed';
  return creation ?? { body: objectOf(batch, state.files) };
}

type BatchError = { code: string; message: string; param: string | null; line: number | null };
const inputs = new WeakMap<ScriptedBatch, { file: string; errors: BatchError[] }>();

function errorsIn(lines: Line[], endpoint: string, { fullQueue }: State): BatchError[] {
  const message = 'Enqueued token limit reached for gpt-5.6 in organization org-1. Limit: 90,000 enqueued tokens.';
  if (fullQueue) return [{ code: 'token_limit_exceeded', message, param: null, line: null }];
  const check = (body: object) =>
    endpoint === '/v1/responses' ? checkOpenaiResponses(body, { reasons: () => true }) : checkOpenai(body);
  const ofLines = lines.flatMap((line, index) =>
    [
      ...checkFields(line, ['custom_id', 'method', 'url', 'body']),
      ...(line.method === 'POST' && line.url === endpoint ? [] : ['a wrong endpoint']),
      ...('stream' in line.body || 'stream_options' in line.body ? ['a line that streams'] : []),
      ...check({ ...line.body, stream: true }),
    ].map((problem) => ({ code: 'invalid_request', message: problem, param: null, line: index + 1 })),
  );
  const ofIds = checkIds(lines.map(({ custom_id }) => custom_id));
  return [...ofLines, ...ofIds.map((problem) => ({ code: 'invalid_id', message: problem, param: null, line: null }))];
}

function list({ batches, files, script }: State, { query }: ApiRequest): ApiAnswer {
  const limit = Number(query.limit);
  if (!(limit >= 1 && limit <= 100)) return refusal(400, 'a wrong limit');
  const seen = script.isHidden ? [] : batches;
  const from = query.after ? seen.findIndex(({ id }) => id === query.after) + 1 : 0;
  const page = seen.slice(from, from + limit);
  const data = page.map((batch) => objectOf(batch, files));
  return { body: { object: 'list', data, has_more: from + limit < seen.length } };
}

/** Returns the object of a batch. The files of its results appear with its end. */
function objectOf(batch: ScriptedBatch, files: Files): object {
  const { id, key, createdAt, isCancelled, state } = batch;
  const { file, errors } = inputs.get(batch) ?? { file: '', errors: [] };
  const [output, failed] = [`out_${id}`, `err_${id}`];
  if (state === 'ended' && !done.has(batch)) {
    done.add(batch);
    const lines = batch.results.toReversed().map(lineOf);
    files.set(
      output,
      lines
        .filter(({ error }) => error === null)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    files.set(
      failed,
      lines
        .filter(({ error }) => error !== null)
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
  }
  const status = { running: isCancelled ? 'cancelling' : 'in_progress', ended: 'completed', failed: 'failed' }[state];
  return {
    ...{ id, object: 'batch', status, created_at: Math.floor(createdAt.getTime() / 1000), input_file_id: file },
    ...{ metadata: { pawl_batch: key }, errors: { object: 'list', data: errors } },
    ...(state === 'ended' ? { output_file_id: output, error_file_id: failed } : {}),
  };
}

const done = new WeakSet<ScriptedBatch>();

function lineOf(result: ScriptedBatch['results'][number]) {
  const { id: custom_id } = result;
  if ('without' in result) {
    const code = `batch_${result.without}`;
    return { id: `batch_req_${custom_id}`, custom_id, response: null, error: { code, message: 'No answer.' } };
  }
  const response = { status_code: result.status, request_id: 'req_1', body: result.body };
  return { id: `batch_req_${custom_id}`, custom_id, response, error: null };
}
