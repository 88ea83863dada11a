/**
 * Returns Web Crypto. Browser bundlers use this file instead of `../web-crypto.ts` (`browser` in package.json), so
 * they need no Node module.
 */
export async function webCrypto(): Promise<typeof globalThis.crypto> {
  return globalThis.crypto;
}
