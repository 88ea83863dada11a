import type { Turn } from '../client/connect-pawl.ts';

/** What a message says; an image, a file or audio stands as a word. */
export function saidText(content: Turn['input'][number]['content'] | null): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map((part) => (part.type === 'input_text' ? part.text : `[${part.type.slice('input_'.length)}]`))
    .join(' ');
}
