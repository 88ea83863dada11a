import { type AnthropicOptions, reachAnthropic } from '../../anthropic/anthropic-provider.ts';
import { type Fields, textIn } from '../../reply/fields.ts';
import { accountOf, makeBatchApi, unusableAnswer } from '../batch-api.ts';
import type { BatchServer } from '../batch-server.ts';
import { refusedBatch } from '../refused-batch.ts';
import { lineWithId, sendLines } from '../send-lines.ts';
import { stateByAnswer } from '../state-by-answer.ts';
import { BATCHES_PATH, batchPath } from './batch-path.ts';
import { findBatch } from './find-batch.ts';
import { readResults } from './read-results.ts';

/** The version of the API that supports the fields of every line, sampling too. One header serves all lines. */
const API_VERSION = '2023-06-01';

const AROUND = { before: '{"requests":[', between: ',', after: ']}' };

/**
 * Returns the batch API of a server of Anthropic's Messages: Message Batches. The server keeps no key with a batch.
 */
export function anthropicBatches(options: AnthropicOptions): BatchServer {
  const { urlOf, headers: own } = reachAnthropic(options);
  const headers = { ...own, 'anthropic-version': API_VERSION };
  const { customHeaders } = options;
  const api = makeBatchApi({ server: options, customHeaders, headers, urlOf: async (path) => urlOf(path) });
  return {
    account: accountOf(options.baseUrl, options.apiKey),
    limits: { requests: 100_000, bytes: 256_000_000 },
    keepsKey: false,
    lineOf: ({ id, body }) => {
      const { stream: _, ...params } = body as Fields;
      return lineWithId({ custom_id: id }, { params });
    },
    async send({ model }, lines, { commit, signal }) {
      const sent = sendLines(lines, AROUND, commit);
      const answer = await sent.unlessBroken(api.call({ method: 'POST', path: BATCHES_PATH, body: sent.body, signal }));
      if (answer.kind === 'refused') return refusedBatch(answer, api.failureOf(answer, model), sent.ids);
      const id = textIn(answer.fields.id);
      if (!id) throw unusableAnswer(api, 'a new batch without an id');
      return { kind: 'sent', id, files: [] };
    },
    find: (batch, signal) => findBatch(api, batch, signal),
    state: (id, signal) => stateByAnswer(api, { path: batchPath(id), signal }, stateOf),
    results: (id, signal) => readResults(api, id, signal),
    async cancel(id, signal) {
      await api.call({ method: 'POST', path: `${batchPath(id)}/cancel`, signal });
    },
    remove: ({ id }, signal) => api.remove({ path: batchPath(id), signal }),
  };
}

function stateOf({ processing_status: status }: Fields) {
  if (status === 'ended') return { kind: 'ended' as const, files: [] };
  return { kind: status === 'in_progress' || status === 'canceling' ? ('running' as const) : ('away' as const) };
}
