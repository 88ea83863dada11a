import type { Turn } from '../base/turn.ts';

export type Content = Turn['input'][number]['content'];

/** Splits a content into its text, which a form changes, and its other parts, which the form keeps. */
export function splitContent(content: Content) {
  if (typeof content === 'string') return { words: content, kept: [] };
  const words = content.flatMap((part) => (part.type === 'input_text' ? part.text : []));
  return { words: words.join('\n'), kept: content.filter(({ type }) => type !== 'input_text') };
}

/** Joins the text of a form and the other parts after it. */
export function joinContent(text: string, kept: Exclude<Content, string>): Content {
  return kept.length === 0 ? text : [{ type: 'input_text', text }, ...kept];
}
