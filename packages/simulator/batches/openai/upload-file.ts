import { randomUUID } from 'node:crypto';
import { refuse } from '../../error-body.ts';
import type { BatchAnswer, BatchCall } from '../batch-request.ts';
import type { BatchStore, KeptFile } from '../batch-store.ts';

/** OpenAI's limit for the file of a batch. */
const MOST_BYTES = 200 * 2 ** 20;
const FIELDS = ['file', 'purpose', 'expires_after[anchor]', 'expires_after[seconds]'];

/** Keeps the file of a multipart request. */
export async function uploadFile({ request, owner, body }: BatchCall, store: BatchStore): Promise<BatchAnswer> {
  const form = await formOf(body, String(request.headers['content-type']));
  if (!form) return refuseField('file', 'The request is not a multipart form with a file.');
  const unknown = [...form.keys()].find((field) => !FIELDS.includes(field));
  if (unknown)
    return refuse({ code: 'unknown_parameter', message: `Unknown parameter: '${unknown}'.`, param: unknown });
  const file = form.get('file');
  if (!(file instanceof Blob)) return refuseField('file', "'file' is a required property");
  if (form.get('purpose') !== 'batch') {
    return refuseField('purpose', `'${form.get('purpose')}' is not one of ['batch'], which this server keeps`);
  }
  if (!file.name.endsWith('.jsonl')) {
    return refuseField('file', 'Invalid file format for Batch API. Must be .jsonl');
  }
  if (file.size > Math.min(MOST_BYTES, store.limits.maxBytes)) {
    return refuse({ code: null, message: 'File is too large for the Batch API.', param: 'file', status: 413 });
  }
  const seconds = secondsOf(form);
  if (Number.isNaN(seconds)) return refuseField('expires_after', 'Must be 3600 to 2592000 seconds after created_at.');
  const kept = newFile({ account: owner.account, name: file.name, purpose: 'batch', text: await file.text() }, seconds);
  store.files.keep(kept);
  return { status: 200, body: fileObject(kept) };
}

type NewFile = Pick<KeptFile, 'account' | 'name' | 'purpose' | 'text'> & { batch?: string };

/** Returns a new file, which expires after so many seconds. */
export function newFile({ batch = '', ...file }: NewFile, seconds: number | null): KeptFile {
  const createdAt = Date.now();
  const expiresAt = seconds === null ? null : createdAt + seconds * 1000;
  return { ...file, id: `file-${randomUUID().replaceAll('-', '')}`, createdAt, expiresAt, batch: batch || null };
}

/** Returns the object that describes a file. */
export function fileObject({ id, name, purpose, text, createdAt, expiresAt }: KeptFile): Record<string, unknown> {
  return {
    id,
    object: 'file',
    bytes: Buffer.byteLength(text),
    created_at: Math.floor(createdAt / 1000),
    ...(expiresAt !== null && { expires_at: Math.floor(expiresAt / 1000) }),
    filename: name,
    purpose,
    status: 'processed',
    status_details: null,
  };
}

function formOf(body: Buffer<ArrayBuffer>, type: string): Promise<FormData | null> {
  return new Response(body, { headers: { 'content-type': type } }).formData().catch(() => null);
}

/** Returns the seconds until a file expires, null without a time, or NaN for a time that is not valid. */
function secondsOf(form: FormData): number | null {
  const [anchor, seconds] = [form.get('expires_after[anchor]'), form.get('expires_after[seconds]')];
  if (anchor === null && seconds === null) return null;
  const isValid = anchor === 'created_at' && Number(seconds) >= 3600 && Number(seconds) <= 2_592_000;
  return isValid ? Number(seconds) : Number.NaN;
}

function refuseField(param: string, message: string): BatchAnswer {
  return refuse({ code: null, message, param });
}
