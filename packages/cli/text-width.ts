import { stripVTControlCharacters } from 'node:util';

const WIDE =
  /^(?:\p{Emoji_Presentation}|\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}|\p{sc=Hangul}|[\u3000-\u303f\uff01-\uff60])/u;
const graphemes = new Intl.Segmenter();

/** How many columns of a terminal a text takes: colours none, ideographs and emoji two. */
export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  return [...graphemes.segment(plain)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0);
}
