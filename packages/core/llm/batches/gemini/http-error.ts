import { type Fields, indexIn } from '../../reply/fields.ts';

/** Returns an error of Google with its HTTP status, as a single request has it. A batch has the numbers of gRPC. */
export function httpError(error: Fields): Fields & { code: number } {
  const code = indexIn(error.code) ?? UNKNOWN;
  return { ...error, code: code >= 100 ? code : (STATUSES[code] ?? 500) };
}

/** The number of gRPC for an error without another number. */
const UNKNOWN = 2;

/** The HTTP statuses of gRPC's numbers. */
const STATUSES = [200, 499, 500, 400, 504, 404, 409, 403, 429, 400, 409, 400, 501, 500, 503, 500, 401];
