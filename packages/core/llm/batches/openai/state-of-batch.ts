import type { ProviderFailed } from '../../../failure.ts';
import { classifyErrorObject } from '../../errors/classify-refusal.ts';
import { nameFailure } from '../../errors/name-failure.ts';
import { type Fields, fieldsIn, indexIn, textIn } from '../../reply/fields.ts';
import type { BatchApi } from '../batch-api.ts';
import type { BatchState } from '../batch-server.ts';
import { jsonLines } from '../json-lines.ts';
import { saysTooLarge } from '../refused-batch.ts';
import { stateByAnswer } from '../state-by-answer.ts';
import { batchPath, filePath } from './batch-path.ts';

/** Reads the state of a batch. A batch that failed its validation is refused. */
export async function stateOfBatch(api: BatchApi, id: string, signal: AbortSignal): Promise<BatchState> {
  return await stateByAnswer(api, { path: batchPath(id), signal }, async (batch) => {
    const status = textIn(batch.status) ?? '';
    if (RUNNING.includes(status)) return { kind: 'running' };
    if (ENDED.includes(status)) return { kind: 'ended', files: filesOf(batch) };
    return status === 'failed' ? await refusedState(api, batch, signal) : { kind: 'away' };
  });
}

const RUNNING = ['validating', 'in_progress', 'finalizing', 'cancelling'];
const ENDED = ['completed', 'expired', 'cancelled'];

function filesOf({ input_file_id, output_file_id, error_file_id }: Fields): string[] {
  return [input_file_id, output_file_id, error_file_id].flatMap((file) => textIn(file) || []);
}

async function refusedState(api: BatchApi, batch: Fields, signal: AbortSignal): Promise<BatchState> {
  const { data } = fieldsIn(batch.errors) ?? {};
  const errors = (Array.isArray(data) ? data : []).map((each) => fieldsIn(each) ?? {});
  const text = errors.map(({ code, message }) => `${textIn(code) ?? ''} ${textIn(message) ?? ''}`).join('\n');
  const id = await badLineOf(api, batch, { errors, signal });
  const badLine = id === null ? null : { id, status: 400, text: JSON.stringify({ error: errors[0] }) };
  const isTooLarge = badLine === null && saysTooLarge(text);
  return { kind: 'refused', failure: failureOf(api, errors), isTooLarge, badLine, files: filesOf(batch) };
}

function failureOf({ asked }: BatchApi, errors: Fields[]): ProviderFailed {
  const [first = {}] = errors;
  const says = textIn(first.message);
  const code = textIn(first.code);
  if (FULL.test(code ?? '')) return nameFailure('provider_rate_limited', { ...asked, code, says });
  return classifyErrorObject({ error: first }, { get: () => null }, asked);
}

/** The queue of the account is full. Its limit counts tokens, so the words look like those of a long request. */
const FULL = /_limit_exceeded$|^rate_limit/;

type Failed = { errors: Fields[]; signal: AbortSignal };

/** Returns the id of the only line that the errors name. The lines are counted in the file of the batch. */
async function badLineOf(api: BatchApi, batch: Fields, { errors, signal }: Failed): Promise<string | null> {
  const named = new Set(errors.map(({ line }) => indexIn(line)));
  const [place = null] = named;
  const file = textIn(batch.input_file_id);
  if (named.size !== 1 || !place || !file) return null;
  try {
    return await idAtLine(api, { file, place, signal });
  } catch {
    signal.throwIfAborted();
    return null;
  }
}

type Place = { file: string; place: number; signal: AbortSignal };

async function idAtLine(api: BatchApi, { file, place, signal }: Place): Promise<string | null> {
  let count = 0;
  for await (const line of jsonLines(api.download({ path: `${filePath(file)}/content`, signal }))) {
    count += 1;
    if (count === place) return line.kind === 'line' ? textIn(line.fields.custom_id) : line.id;
  }
  return null;
}
