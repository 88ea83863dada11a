import { REPLY_BOUNDS } from '../../../bounds/reply-bounds.ts';
import { exceedsJson, parseJson } from '../../../json.ts';
import type { BatchAnswer } from '../../../turn/batches/batch-answer.ts';
import { type Fields, fieldsIn, textIn } from '../../reply/fields.ts';
import type { BatchApi } from '../batch-api.ts';
import type { BatchResult } from '../batch-server.ts';
import { batchPath } from './batch-path.ts';
import { httpError } from './http-error.ts';
import { type JsonElement, jsonElements } from './json-elements.ts';

/** The responses of an operation, or of the batch that it describes. Some servers have the inner list only. */
const RESPONSES = {
  paths: /^(?:(?:response|metadata\.output|output)\.)?inlinedResponses\.(?:inlinedResponses\.)?\d+$/,
  longest: REPLY_BOUNDS.eventBytes,
};

type Reading = { signal: AbortSignal; order?: readonly string[] | undefined };

/** Reads the responses of a batch. Each response has the key of its request, or the place of its request. */
export async function* readResults(
  api: BatchApi,
  id: string,
  { signal, order = [] }: Reading,
): AsyncGenerator<BatchResult> {
  let list: string | null = null;
  for await (const element of jsonElements(api.download({ path: batchPath(id), signal }), RESPONSES)) {
    const end = element.path.lastIndexOf('.');
    list ??= element.path.slice(0, end);
    // An operation may have the same list in its metadata too.
    if (element.path.slice(0, end) !== list) continue;
    const result = resultIn(element, order[Number(element.path.slice(end + 1))]);
    if (result) yield result;
  }
}

function resultIn({ text, isWhole }: JsonElement, ordered: string | undefined): BatchResult | null {
  if (!isWhole || exceedsJson(text)) return tooLarge(text, ordered);
  const fields = fieldsIn(parseJson(text)) ?? {};
  const id = textIn(fieldsIn(fields.metadata)?.key) ?? ordered;
  const answer = answerIn(fields);
  return id && answer ? { id, answer } : null;
}

function tooLarge(text: string, ordered: string | undefined): BatchResult | null {
  const id = /^\{\s*"metadata"\s*:\s*\{\s*"key"\s*:\s*"([\w-]{1,64})"/.exec(text)?.[1] ?? ordered;
  return id ? { id, answer: { kind: 'too-large' } } : null;
}

function answerIn({ response, error }: Fields): BatchAnswer | null {
  const reply = fieldsIn(response);
  if (reply) return { kind: 'answered', status: 200, text: JSON.stringify(reply) };
  const refused = fieldsIn(error);
  if (!refused) return null;
  const said = httpError(refused);
  return said.code === 499
    ? { kind: 'cancelled' }
    : { kind: 'answered', status: said.code, text: JSON.stringify({ error: said }) };
}
