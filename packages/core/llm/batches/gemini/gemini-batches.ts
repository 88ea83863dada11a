import { nameFailure } from '../../errors/name-failure.ts';
import { classifyRefusal } from '../../gemini/classify-refusal.ts';
import { type GeminiOptions, geminiKey, isModelName, modelPath } from '../../gemini/gemini-provider.ts';
import { urlBelow } from '../../http/http-client.ts';
import { textIn } from '../../reply/fields.ts';
import { accountOf, makeBatchApi, unusableAnswer } from '../batch-api.ts';
import type { BatchServer } from '../batch-server.ts';
import { refusedBatch } from '../refused-batch.ts';
import { lineWithId, sendLines } from '../send-lines.ts';
import { batchPath, isBatchName } from './batch-path.ts';
import { findBatch } from './find-batch.ts';
import { readResults } from './read-results.ts';
import { stateOfBatch } from './state-of-batch.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Returns the batch API of a server of Gemini's generateContent, with inline requests and responses. */
export function geminiBatches(options: GeminiOptions): BatchServer {
  const { baseUrl, apiVersion = 'v1beta' } = options;
  const urlOf = async (path: string) => urlBelow(baseUrl, `/${apiVersion}${path}`);
  const api = makeBatchApi({ server: options, headers: geminiKey(options), urlOf, classify: classifyRefusal });
  return {
    account: accountOf(baseUrl, options.apiKey),
    // The server limits the whole body to 20 MB.
    limits: { requests: 10_000, bytes: 19_000_000 },
    keepsKey: true,
    lineOf: ({ id, body }) => lineWithId({ metadata: { key: id } }, { request: body }),
    async send({ key, model }, lines, { commit, signal }) {
      if (!isModelName(model)) {
        const failure = nameFailure('provider_model_not_found', { ...api.asked, model });
        return { kind: 'refused', failure, isTooLarge: false, badLine: null };
      }
      const sent = sendLines(lines, around(key), commit);
      const path = `/${modelPath(model)}:batchGenerateContent`;
      const answer = await sent.unlessBroken(
        api.call({ method: 'POST', path, headers: JSON_TYPE, body: sent.body, signal }),
      );
      if (answer.kind === 'refused') return refusedBatch(answer, api.failureOf(answer, model), sent.ids);
      const name = textIn(answer.fields.name);
      if (!name || !isBatchName(name)) throw unusableAnswer(api, 'a new batch without a name');
      return { kind: 'sent', id: name, files: [] };
    },
    find: (batch, signal) => findBatch(api, batch, signal),
    state: (id, signal) => stateOfBatch(api, id, signal),
    results: (id, signal, order) => readResults(api, id, { signal, order }),
    async cancel(id, signal) {
      await api.call({ method: 'POST', path: `${batchPath(id)}:cancel`, headers: JSON_TYPE, body: '{}', signal });
    },
    remove: ({ id }, signal) => api.remove({ path: batchPath(id), signal }),
  };
}

function around(key: string) {
  const before = `{"batch":{"display_name":${JSON.stringify(key)},"input_config":{"requests":{"requests":[`;
  return { before, between: ',', after: ']}}}}' };
}
