import type { BatchAnswer } from '../../../turn/batches/batch-answer.ts';
import { type Fields, fieldsIn, indexIn, textIn } from '../../reply/fields.ts';
import type { BatchApi } from '../batch-api.ts';
import type { BatchResult } from '../batch-server.ts';
import { jsonLines } from '../json-lines.ts';
import { batchPath, filePath } from './batch-path.ts';

/** Reads the results of a batch: the file of its answers, then the file of its errors. */
export async function* readResults(api: BatchApi, id: string, signal: AbortSignal): AsyncGenerator<BatchResult> {
  const { output_file_id, error_file_id } = await api.read({ path: batchPath(id), signal });
  for (const file of [textIn(output_file_id), textIn(error_file_id)]) {
    if (file) yield* resultsIn(api, file, signal);
  }
}

async function* resultsIn(api: BatchApi, file: string, signal: AbortSignal): AsyncGenerator<BatchResult> {
  for await (const line of jsonLines(api.download({ path: `${filePath(file)}/content`, signal }))) {
    if (line.kind === 'too-large') {
      yield { id: line.id, answer: { kind: 'too-large' } };
      continue;
    }
    const id = textIn(line.fields.custom_id);
    const answer = answerIn(line.fields);
    if (id && answer) yield { id, answer };
  }
}

function answerIn({ response, error }: Fields): BatchAnswer | null {
  const answered = fieldsIn(response);
  const status = indexIn(answered?.status_code);
  if (answered && status !== null) {
    const { body } = answered;
    return { kind: 'answered', status, text: typeof body === 'string' ? body : JSON.stringify(body ?? null) };
  }
  const failed = fieldsIn(error);
  return failed && answerOf(failed);
}

function answerOf(error: Fields): BatchAnswer {
  const code = textIn(error.code) ?? '';
  if (/expired/.test(code)) return { kind: 'expired' };
  if (/cancell?ed/.test(code)) return { kind: 'cancelled' };
  return { kind: 'answered', status: statusOf(code), text: JSON.stringify({ error }) };
}

/** Returns the status of an error that the batch itself has, and no request. */
function statusOf(code: string): number {
  if (/time_?out/.test(code)) return 504;
  return /invalid|bad_request/.test(code) ? 400 : 500;
}
