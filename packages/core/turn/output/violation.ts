/** Where an answer breaks the output schema of its turn, as a JSON pointer (`/items/0/price`), and what has to be there. */
export type Violation = { path: string; message: string };

/** What an answer breaks, in a sentence for each. */
export function violationSentences(violations: readonly Violation[]): string[] {
  return violations.map(({ path, message }) => (path === '' ? `the answer ${message}` : `${path} ${message}`));
}
