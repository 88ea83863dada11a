/** The place of a value in a body, as callers write it: `tools[0].name`; empty for the whole body. */
export function renderPath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${String(part)}`))
    .join('');
}
