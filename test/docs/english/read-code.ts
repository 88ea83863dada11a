import { type parseSync, Visitor } from 'rolldown/utils';

type Parsed = ReturnType<typeof parseSync>;
type Found = { start: number; text: string };

/** A statement of SQL, which a string holds as code and not as a sentence. */
const SQL = /\b(?:select|insert into|update \w+ set|delete from|create (?:table|index)|alter|returning|unnest)\b/;

/** Returns the comments of a file without their frames. Comments on consecutive lines are one text. */
export function readComments(comments: Parsed['comments'], source: string): Found[] {
  const found: (Found & { end: number })[] = [];
  for (const { type, value, start, end } of comments) {
    const before = found.at(-1);
    const follows = type === 'Line' && before && /^\n[ \t]*$/.test(source.slice(before.end, start));
    if (follows) Object.assign(before, { text: `${before.text}\n${value}`, end });
    else found.push({ start, end, text: value.replace(/^\s*\*+/gm, '') });
  }
  return found;
}

/** Returns the titles of tests and all other strings with three words or more. */
export function readTexts(program: Parsed['program'], source: string): { titles: Found[]; strings: Found[] } {
  const titles: Found[] = [];
  const strings: Found[] = [];
  const seen = new Set<number>();
  const add = (found: Found) => {
    if (!seen.has(found.start) && isSentence(found.text)) strings.push(found);
  };
  new Visitor({
    CallExpression({ callee, arguments: [title] }) {
      if (title && /^sql\b/.test(source.slice(callee.start, callee.end))) seen.add(title.start);
      if (!title || !/^(?:test|it|describe)\b/.test(source.slice(callee.start, callee.end))) return;
      if (title.type !== 'TemplateLiteral' && !(title.type === 'Literal' && typeof title.value === 'string')) return;
      seen.add(title.start);
      titles.push({ start: title.start, text: source.slice(title.start + 1, title.end - 1) });
    },
    TaggedTemplateExpression({ tag, quasi }) {
      if (/sql/i.test(source.slice(tag.start, tag.end))) seen.add(quasi.start);
    },
    Literal({ value, start }) {
      if (typeof value === 'string') add({ start, text: value });
    },
    TemplateLiteral({ start, end }) {
      add({ start, text: source.slice(start + 1, end - 1).replaceAll('\\`', '`') });
    },
    JSXText({ value, start }) {
      add({ start, text: value });
    },
  }).visit(program);
  return { titles, strings };
}

function isSentence(text: string): boolean {
  return text.trim().split(/\s+/).length >= 3 && /[a-z]{2,}[,;:]? [a-z(“]/i.test(text) && !SQL.test(text);
}
