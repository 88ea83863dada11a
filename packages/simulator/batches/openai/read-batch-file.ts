import { z } from 'zod';
import { jsonOf } from '../json-of.ts';
import type { BatchError } from '../kept-batch.ts';
import type { BatchLine } from '../plan-batch.ts';

/** OpenAI's limit for the requests of a batch. */
const MOST_REQUESTS = 50_000;

/** A file of requests, or the errors of its validation. */
type BatchFile = { lines: BatchLine[]; model: string; errors: BatchError[] };

type Line = { custom_id: string; body: { model: string } };

/** Reads the lines of a file for one endpoint, as OpenAI validates them. A bad line fails the whole file. */
export function readBatchFile(text: string, { endpoint, most }: { endpoint: string; most: number }): BatchFile {
  const rows = text.split('\n').filter((row) => row.trim() !== '');
  if (rows.length === 0) return failed([{ ...AT_FILE, code: 'empty_file', message: 'The input file is empty.' }]);
  if (rows.length > Math.min(most, MOST_REQUESTS)) {
    return failed([{ ...AT_FILE, code: 'too_many_tasks', message: 'The batch has too many requests.' }]);
  }
  const schema = lineOf(endpoint);
  const seen = new Map<string, Line>();
  const errors = rows.flatMap((row, index): BatchError[] => {
    const { data: line, error } = schema.safeParse(jsonOf(row), { reportInput: true });
    const problem = line ? repeatedIn(seen, line) : problemOf(error?.issues[0]);
    if (line) seen.set(line.custom_id, line);
    return problem ? [{ line: index + 1, ...problem }] : [];
  });
  if (errors.length > 0) return failed(errors);
  const lines = Array.from(seen.values(), (line) => ({ id: line.custom_id, sent: line.body }));
  return { lines, model: modelOf(seen) ?? '', errors };
}

const AT_FILE = { line: null, param: null };

function failed(errors: BatchError[]): BatchFile {
  return { lines: [], model: '', errors };
}

/** A batch cannot stream, and its requests have one endpoint. */
function lineOf(endpoint: string) {
  return z.strictObject({
    custom_id: z.string().min(1),
    method: z.literal('POST'),
    url: z.literal(endpoint),
    body: z.looseObject({ model: z.string().min(1), stream: z.literal(false).nullish() }),
  });
}

type Problem = Omit<BatchError, 'line'>;

function repeatedIn(seen: Map<string, Line>, { custom_id: id, body }: Line): Problem | null {
  if (seen.has(id)) {
    const message = `The custom_id '${id}' is a duplicate. Each request must have a unique custom_id.`;
    return { code: 'duplicate_custom_id', message, param: 'custom_id' };
  }
  const model = modelOf(seen);
  if (model === undefined || model === body.model) return null;
  const message = `The model '${body.model}' does not match '${model}'. All requests of a batch must have one model.`;
  return { code: 'model_mismatch', message, param: 'body.model' };
}

function modelOf(seen: Map<string, Line>): string | undefined {
  const [first] = seen.values();
  return first?.body.model;
}

function problemOf(issue: z.core.$ZodIssue | undefined): Problem {
  const param = z.core.toDotPath(issue?.path ?? []);
  if (param === '' && issue?.code === 'invalid_type') {
    return { code: 'invalid_json_line', message: 'This line is not parseable as valid JSON.', param: null };
  }
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return { code: 'unknown_parameter', message: `Unknown parameter: '${key}'.`, param: key };
  }
  if (issue?.input === undefined) {
    return { code: 'missing_required_parameter', message: `Missing required parameter: '${param}'.`, param };
  }
  const code = param === 'url' ? 'url_mismatch' : 'invalid_value';
  return { code, message: `Invalid '${param}'. ${issue.message}.`, param };
}
