import { createHash } from 'node:crypto';

/** Makes the encrypted content of a reasoning text. It does not reveal the text, and any simulator can verify it. */
export function encryptedContentOf(reasoning: string): string {
  const content = digest(reasoning);
  return `sim_${content}.${digest(content)}`;
}

export function isVerifiedContent(encrypted: string): boolean {
  const [, content = '', seal] = /^sim_([\w-]+)\.([\w-]+)$/.exec(encrypted) ?? [];
  return seal === digest(content);
}

function digest(text: string): string {
  return createHash('sha256').update(`simulator: ${text}`).digest('base64url');
}
