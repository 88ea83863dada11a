/**
 * @import { TurnResource } from '#core/turn/resource/turn.ts'
 */

/** @typedef {TurnResource['input'][number]['content']} Content */

/**
 * The words of a content, which a form changes, and its other parts, which it keeps.
 * @param {Content} content
 */
export function splitContent(content) {
  if (typeof content === 'string') return { words: content, kept: [] };
  const words = content.flatMap((part) => (part.type === 'input_text' ? part.text : []));
  return { words: words.join('\n'), kept: content.filter(({ type }) => type !== 'input_text') };
}

/**
 * @param {string} text
 * @param {Exclude<Content, string>} kept
 * @returns {Content}
 */
export function joinContent(text, kept) {
  return kept.length === 0 ? text : [{ type: 'input_text', text }, ...kept];
}
