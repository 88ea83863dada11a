/** Prints rows under their heads: the first column is left-aligned, the figures in all others right-aligned. */
export function printTable(heads: string[], rows: string[][]): string {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: string[]) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0, column))
      .join('   ')
      .trimEnd();
  return all.map(line).join('\n');
}

function pad(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
