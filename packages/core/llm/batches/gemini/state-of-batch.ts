import { ProviderFailed } from '../../../failure.ts';
import { parseJson } from '../../../json.ts';
import { classifyErrorObject } from '../../gemini/classify-refusal.ts';
import { fieldsIn, textIn } from '../../reply/fields.ts';
import type { BatchApi } from '../batch-api.ts';
import type { BatchState } from '../batch-server.ts';
import { saysTooLarge } from '../refused-batch.ts';
import { batchPath } from './batch-path.ts';
import { httpError } from './http-error.ts';
import { jsonElements } from './json-elements.ts';

/** An ended batch has its responses too. Only these fields are read. */
const STATED = { paths: /^(?:done|error|state|metadata\.state)$/, longest: 64 * 1024 };

/** Reads the state of a batch. A batch that failed as a whole is refused. */
export async function stateOfBatch(api: BatchApi, id: string, signal: AbortSignal): Promise<BatchState> {
  try {
    const found: Record<string, unknown> = {};
    for await (const { path, text } of jsonElements(api.download({ path: batchPath(id), signal }), STATED)) {
      found[path] = parseJson(text);
    }
    return stateIn(api, found);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ProviderFailed)) throw error;
    const { status } = error.provider;
    return { kind: status === 404 || status === 410 ? 'lost' : 'away' };
  }
}

function stateIn(api: BatchApi, found: Record<string, unknown>): BatchState {
  // `JOB_STATE_RUNNING`, `BATCH_STATE_RUNNING`
  const state = (textIn(found['metadata.state']) ?? textIn(found.state) ?? '').replace(/^[A-Z]+_STATE_/, '');
  const error = fieldsIn(found.error);
  if (error && (state === 'FAILED' || !ENDED.includes(state))) return refusedBy(api, error);
  if (found.done === true || ENDED.includes(state)) return { kind: 'ended', files: [] };
  return { kind: state === '' && found.done === undefined ? 'away' : 'running' };
}

const ENDED = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'EXPIRED', 'PARTIALLY_SUCCEEDED'];

function refusedBy({ asked }: BatchApi, error: Record<string, unknown>): BatchState {
  const said = { error: httpError(error) };
  const failure = classifyErrorObject(said, { get: () => null }, asked);
  const isTooLarge = saysTooLarge(textIn(error.message) ?? '');
  return { kind: 'refused', failure, isTooLarge, badLine: null, files: [] };
}
