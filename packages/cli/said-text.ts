import type { Turn } from '../client/connect-pawl.ts';

/** Returns the text of a message, with a word for each image, file or audio. */
export function saidText(content: Turn['input'][number]['content'] | null): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map((part) => (part.type === 'input_text' ? part.text : `[${part.type.slice('input_'.length)}]`))
    .join(' ');
}
