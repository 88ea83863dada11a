/** The path of a violation in an answer, as a JSON pointer (`/items/0/price`), and the violated requirement. */
export type Violation = { path: string; message: string };

export function violationSentences(violations: readonly Violation[]): string[] {
  return violations.map(({ path, message }) => (path === '' ? `the answer ${message}` : `${path} ${message}`));
}
