/**
 * The code of the network failure behind an error (`ECONNREFUSED`, `UND_ERR_SOCKET` …), searched along its causes;
 * null where the error did not come from the network.
 */
export function networkCode(error: unknown, depth = 0): string | null {
  if (!(error instanceof Error) || depth > 5) return null;
  if ('code' in error && typeof error.code === 'string' && NETWORK.test(error.code)) return error.code;
  return networkCode(error.cause, depth + 1) ?? (BROKEN.test(error.message) ? 'connection broken' : null);
}

/** Whether the network gave up waiting, as against being refused or cut. */
export function isNetworkTimeout(code: string): boolean {
  return /TIMEOUT|TIMEDOUT/.test(code);
}

const NETWORK = /^(E[A-Z]{3,}|UND_ERR_\w+|HPE_\w+|Z_\w+|ERR_(SSL|TLS|STREAM|HTTP)\w*|\w*CERT\w*|\w*SIGNATURE\w*)$/;
const BROKEN = /^(terminated|fetch failed|Connection error\.)/;
