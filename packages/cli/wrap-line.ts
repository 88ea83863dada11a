import { textWidth } from './text-width.ts';

/** Breaks each line of a text before the words that go over `width` columns; what was broken goes on behind `margin`. */
export function wrapLine(text: string, { width, margin }: { width: number; margin: string }): string {
  return text
    .split('\n')
    .map((line) => breakLine(line, { width, margin }))
    .join('\n');
}

function breakLine(text: string, { width, margin }: { width: number; margin: string }): string {
  if (textWidth(text) <= width) return text;
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/(?<= )(?=[^ ])/)) {
    if (line.trim() !== '' && textWidth(line + word.trimEnd()) > width) {
      lines.push(line.trimEnd());
      line = margin;
    }
    line += word;
  }
  return [...lines, line].join('\n');
}
