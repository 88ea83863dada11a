const SUBJECT_WIDTH = 14;
const SUBJECT_LIMIT = 30;

/** Returns the first argument of a call, which distinguishes the calls of a tool for a reader, in one line. */
export function subjectOf(args: Record<string, unknown> | string | null | undefined): string {
  const [subject = ''] = Object.values(args ?? {});
  const text = inLine(typeof subject === 'string' ? subject : JSON.stringify(subject));
  return `${text.length > SUBJECT_LIMIT ? `${text.slice(0, SUBJECT_LIMIT - 1)}…` : text} `.padEnd(SUBJECT_WIDTH);
}

/** Returns a foreign text in one line, so that it cannot imitate other lines. */
export function inLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
