/** Web Crypto; Node 18 has it in a module only. */
export async function webCrypto(): Promise<typeof globalThis.crypto> {
  return globalThis.crypto ?? (await import('node:crypto')).webcrypto;
}
