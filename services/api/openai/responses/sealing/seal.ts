import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { parseJson } from '#core/json.ts';

/** Whose state is sealed: it is unsealed for the same project and provider only. */
export type StateOwner = { project: string; provider: string };

/** The keys that a database's own key is spread into: one encrypts, one makes nonces. */
export type SealingKeys = { encryption: Uint8Array; nonces: Uint8Array };

/** A fresh key of a database, as text: 32 random bytes. */
export function newSealingKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

/** Spreads the key of a database. */
export function spreadKey(key: string): SealingKeys {
  const spread = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', Buffer.from(key, 'base64url'), '', `pawl state ${purpose}`, KEY_BYTES));
  return { encryption: spread('encryption'), nonces: spread('nonces') };
}

/**
 * Seals what a provider wants back, for a caller to keep (contract-responses R33). `place` is where it stands. The same state at
 * the same place is sealed alike by any process, so that all answers show the same.
 */
export function sealState(
  keys: SealingKeys,
  state: unknown,
  { place, ...owner }: StateOwner & { place: string },
): string {
  const text = JSON.stringify(state ?? null);
  const bound = boundTo(owner);
  // It depends on the text, too: a database that was restored writes other rounds at places that it had before.
  const made = createHmac('sha256', keys.nonces).update(JSON.stringify([owner.project, owner.provider, place, text]));
  const nonce = made.digest().subarray(0, NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keys.encryption, nonce, { authTagLength: TAG_BYTES }).setAAD(bound);
  const sealed = [nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()];
  return VERSION + Buffer.concat(sealed).toString('base64url');
}

/** The state that was sealed for its owner; null for a text that was not, and where there was none. */
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

/** What sealed texts begin with: those of other makers are told apart at a glance. */
const VERSION = 'pawl1.';

/** Texts that decode to the same bytes are not the same to us: only one of them was sealed. */
function readSealed(sealed: string): Buffer | null {
  if (!sealed.startsWith(VERSION)) return null;
  const text = sealed.slice(VERSION.length);
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > NONCE_BYTES + TAG_BYTES && bytes.toString('base64url') === text ? bytes : null;
}

function boundTo({ project, provider }: StateOwner): Buffer {
  return Buffer.from(JSON.stringify([project, provider]));
}
