import { type OpenaiServer, reachOpenai } from '../../http/openai-server.ts';
import { type Fields, textIn } from '../../reply/fields.ts';
import { accountOf, type BatchApi, makeBatchApi, unusableAnswer } from '../batch-api.ts';
import type { BatchServer, NewBatch, SentBatch } from '../batch-server.ts';
import { refusedBatch } from '../refused-batch.ts';
import { lineWithId } from '../send-lines.ts';
import { batchPath, filePath } from './batch-path.ts';
import { findBatch } from './find-batch.ts';
import { readResults } from './read-results.ts';
import { stateOfBatch } from './state-of-batch.ts';
import { uploadLines } from './upload-lines.ts';

/**
 * A server of OpenAI's wires, and the endpoint of its lines: the path of a single request at OpenAI, for any base URL.
 * `place` identifies the server in its account.
 */
export type OpenaiBatches = {
  server: OpenaiServer;
  endpoint: '/v1/chat/completions' | '/v1/responses';
  place: string;
};

/** Returns the batch API of a server of OpenAI's wires. A batch has its lines in a file, and its results in two. */
export function openaiBatches({ server, endpoint, place }: OpenaiBatches): BatchServer {
  const { urlOf, key: headers } = reachOpenai(server);
  const api = makeBatchApi({ server, headers, urlOf });
  const upload = uploadLines(api);
  return {
    account: accountOf(place, server.apiKey),
    limits: { requests: 50_000, bytes: 200_000_000 },
    keepsKey: true,
    lineOf: ({ id, body }) => {
      const { stream: _, stream_options: __, ...rest } = body as Fields;
      return lineWithId({ custom_id: id }, { method: 'POST', url: endpoint, body: rest }, '\n');
    },
    async send(batch, lines, { commit, signal }) {
      const uploaded = await upload(batch, lines, signal);
      if (uploaded.kind === 'refused') return uploaded;
      await commit();
      return await create(api, { batch, endpoint, file: uploaded.id, signal });
    },
    find: (batch, signal) => findBatch(api, batch, signal),
    state: (id, signal) => stateOfBatch(api, id, signal),
    results: (id, signal) => readResults(api, id, signal),
    async cancel(id, signal) {
      await api.call({ method: 'POST', path: `${batchPath(id)}/cancel`, signal });
    },
    remove: ({ files }, signal) => removeFiles(api, files, signal),
  };
}

type Creation = Pick<OpenaiBatches, 'endpoint'> & { batch: NewBatch; file: string; signal: AbortSignal };

async function create(api: BatchApi, { batch, endpoint, file, signal }: Creation): Promise<SentBatch> {
  const metadata = { pawl_batch: batch.key };
  const body = { input_file_id: file, endpoint, completion_window: '24h', metadata };
  const answer = await api.call({
    ...{ method: 'POST', path: '/batches', body: JSON.stringify(body), signal },
    headers: { 'content-type': 'application/json' },
  });
  if (answer.kind === 'refused') {
    // The file expires in any case.
    await removeFiles(api, [file], signal).catch(() => signal.throwIfAborted());
    return refusedBatch(answer, api.failureOf(answer, batch.model), []);
  }
  const id = textIn(answer.fields.id);
  if (!id) throw unusableAnswer(api, 'a new batch without an id');
  return { kind: 'sent', id, files: [file] };
}

async function removeFiles(api: BatchApi, files: readonly string[], signal: AbortSignal): Promise<boolean> {
  const removed: boolean[] = [];
  for (const file of files) removed.push(await api.remove({ path: filePath(file), signal }));
  return removed.every(Boolean);
}
