import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { parseJson } from '#core/json.ts';

/** The owner of sealed state. State is unsealed only for the same project and provider. */
export type StateOwner = { project: string; provider: string };

/** The keys that are derived from a database's key: one key encrypts, and the other makes nonces. */
export type SealingKeys = { encryption: Uint8Array; nonces: Uint8Array };

/** Makes a new key of a database, as text: 32 random bytes. */
export function newSealingKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

/** Derives the keys from the key of the database. */
export function spreadKey(key: string): SealingKeys {
  const spread = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', Buffer.from(key, 'base64url'), '', `pawl state ${purpose}`, KEY_BYTES));
  return { encryption: spread('encryption'), nonces: spread('nonces') };
}

/**
 * Seals the state that a provider requires back, for a caller to keep. `place` is the position of the state. Every
 * process seals the same state at the same position alike, so that all answers are equal.
 */
export function sealState(
  keys: SealingKeys,
  state: unknown,
  { place, ...owner }: StateOwner & { place: string },
): string {
  const text = JSON.stringify(state ?? null);
  const bound = boundTo(owner);
  // The nonce also depends on the text, because a restored database writes other rounds at positions that it used
  // before.
  const hmac = createHmac('sha256', keys.nonces).update(JSON.stringify([owner.project, owner.provider, place, text]));
  const nonce = hmac.digest().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keys.encryption, nonce, { authTagLength: TAG_BYTES }).setAAD(bound);
  const sealed = [nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()];
  return VERSION + Buffer.concat(sealed).toString('base64url');
}

/** Returns the state that was sealed for its owner. Null for an unsealed text, or without a text. */
export function unsealState(keys: SealingKeys, sealed: string, owner: StateOwner): unknown {
  const bytes = readSealed(sealed);
  if (!bytes) return null;
  const decipher = createDecipheriv(CIPHER, keys.encryption, bytes.subarray(0, NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(boundTo(owner)).setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    return parseJson(Buffer.concat([text, decipher.final()]).toString()) ?? null;
  } catch {
    return null;
  }
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The prefix of sealed texts. Texts of other makers do not have it. */
const VERSION = 'pawl1.';

/** Different texts that decode to the same bytes are not accepted: only one text was sealed. */
function readSealed(sealed: string): Buffer | null {
  if (!sealed.startsWith(VERSION)) return null;
  const text = sealed.slice(VERSION.length);
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > NONCE_BYTES + TAG_BYTES && bytes.toString('base64url') === text ? bytes : null;
}

function boundTo({ project, provider }: StateOwner): Buffer {
  return Buffer.from(JSON.stringify([project, provider]));
}
