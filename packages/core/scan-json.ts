/** How deep JSON from outside may be, and of how many values; more of it is not made into values. */
export const JSON_LIMITS = { depth: 100, values: 250_000 };

/** How far a JSON text has been read, piece by piece and once, without making values of it. */
export type JsonScan = {
  depth: number;
  deepest: number;
  /** Lists, objects and what stands between commas. */
  values: number;
  inString: boolean;
  isEscaped: boolean;
  /** Whether the first list, object or text in it is whole; what follows can only be white space. */
  isClosed: boolean;
};

/** The state before the first piece. */
export function startJsonScan(): JsonScan {
  return { depth: 0, deepest: 0, values: 0, inString: false, isEscaped: false, isClosed: false };
}

/** Reads one more piece, as text or as UTF-8. What is no JSON is counted as if it were. */
export function scanJson(scan: JsonScan, piece: string | Uint8Array): JsonScan {
  const isText = typeof piece === 'string';
  for (let at = 0; at < piece.length; at += 1) take(scan, isText ? piece.charCodeAt(at) : (piece[at] ?? 0));
  return scan;
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;

function take(scan: JsonScan, code: number): void {
  if (scan.inString) takeInString(scan, code);
  else if (code === QUOTE) scan.inString = true;
  else if (code === COMMA) scan.values += 1;
  else if (isOpening(code)) {
    scan.values += 1;
    scan.depth += 1;
    if (scan.depth > scan.deepest) scan.deepest = scan.depth;
  } else if (isClosing(code)) {
    scan.depth -= 1;
    scan.isClosed ||= scan.depth <= 0;
  }
}

function takeInString(scan: JsonScan, code: number): void {
  if (scan.isEscaped) scan.isEscaped = false;
  else if (code === BACKSLASH) scan.isEscaped = true;
  else if (code === QUOTE) {
    scan.inString = false;
    scan.isClosed ||= scan.depth === 0;
  }
}

/** `[` and `{`. */
function isOpening(code: number): boolean {
  return code === 91 || code === 123;
}

/** `]` and `}`. */
function isClosing(code: number): boolean {
  return code === 93 || code === 125;
}
