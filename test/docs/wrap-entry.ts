const COLUMNS = 118;

/** Wraps an entry of a Markdown list. Lines after the first are indented, as the entry continues there. */
export function wrapEntry(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (`${line} ${word}`.length > COLUMNS) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}
