import { randomUUID } from 'node:crypto';
import { nameFailure } from '../../errors/name-failure.ts';
import { readRefusal } from '../../errors/read-error.ts';
import { textIn } from '../../reply/fields.ts';
import { type BatchApi, unusableAnswer } from '../batch-api.ts';
import type { NewBatch, SentBatch } from '../batch-server.ts';
import { refusedBatch } from '../refused-batch.ts';
import { sendLines } from '../send-lines.ts';

type Uploaded = { kind: 'uploaded'; id: string } | Extract<SentBatch, { kind: 'refused' }>;
type Upload = (batch: NewBatch, lines: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<Uploaded>;

/** The server deletes the file after this time, if Pawl does not. It is longer than any batch. */
const EXPIRES_AFTER_S = 259_200;

/**
 * Returns how to upload lines as a file. After a refusal of the file's expiry, the upload rejects, and later uploads
 * of this process have no expiry.
 */
export function uploadLines(api: BatchApi): Upload {
  let hasExpiry = true;
  return async (batch, lines, signal) => {
    const boundary = `pawl-${randomUUID()}`;
    const sent = sendLines(lines, {
      before: formBefore(batch, boundary, hasExpiry),
      between: '',
      after: end(boundary),
    });
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const answer = await sent.unlessBroken(
      api.call({ method: 'POST', path: '/files', headers, body: sent.body, signal }),
    );
    if (answer.kind === 'refused') {
      if (hasExpiry && /expires?_?\W?after/i.test(readRefusal(answer).message ?? '')) {
        hasExpiry = false;
        throw nameFailure('provider_unavailable', { ...api.asked, reason: 'it refused the expiry of a file' });
      }
      return refusedBatch(answer, api.failureOf(answer, batch.model), sent.ids);
    }
    const id = textIn(answer.fields.id);
    if (!id) throw unusableAnswer(api, 'a new file without an id');
    return { kind: 'uploaded', id };
  };
}

/** Returns the form up to the first byte of the file. The key is safe as a part of its name. */
function formBefore({ key }: NewBatch, boundary: string, hasExpiry: boolean): string {
  const fields = [['purpose', 'batch'], ...(hasExpiry ? EXPIRY : [])];
  const parts = fields.map(([name, value]) => `--${boundary}\r\n${disposition(`name="${name}"`)}\r\n\r\n${value}\r\n`);
  const file = disposition('name="file"', `filename="pawl-${key.replace(/[^\w-]/g, '_')}.jsonl"`);
  return `${parts.join('')}--${boundary}\r\n${file}\r\ncontent-type: application/jsonl\r\n\r\n`;
}

function disposition(...parameters: string[]): string {
  return ['content-disposition: form-data', ...parameters].join('; ');
}

const EXPIRY: [string, string][] = [
  ['expires_after[anchor]', 'created_at'],
  ['expires_after[seconds]', String(EXPIRES_AFTER_S)],
];

function end(boundary: string): string {
  return `\r\n--${boundary}--\r\n`;
}
