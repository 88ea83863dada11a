/** Code without its comments and texts: every quoted text is `"0"`, `"1"` …, its place in `texts`. */
export type MaskedCode = { code: string; texts: string[] };

const IN_CODE = new RegExp(
  [
    /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)/,
    /(?<text>'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*")/,
    /(?<tick>`)/,
    /(?<brace>[{}])/,
    /(?<pattern>(?<=(?:^|[(,=:[!&|?{;+*%<>-]|\b(?:return|case|typeof|in|of))\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/\w*)/,
    /(?<rest>[\w$]+|\s+|[\s\S])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
);
const IN_TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^\\`$])*(?<end>`|\$\{|$)/y;

/** Reads TypeScript just well enough to know what is code and what only looks like it. */
export function maskCode(source: string): MaskedCode {
  const texts: string[] = [];
  // Open braces inside each `${…}` we are in; the code outside all of them comes first.
  const depths = [0];
  let code = '';
  let at = 0;
  while (at < source.length) {
    const { comment, text, tick, brace, pattern, rest } = take(IN_CODE, source, at);
    at = IN_CODE.lastIndex;
    const closesHole = brace === '}' && depths.length > 1 && depths.at(-1) === 0;
    if (closesHole) depths.pop();
    else if (brace) depths.push((depths.pop() ?? 0) + (brace === '{' ? 1 : -1));

    if (comment || pattern) code += ' ';
    else if (text) code += `"${texts.push(text.slice(1, -1)) - 1}"`;
    else if (tick || closesHole) {
      const { end } = take(IN_TEMPLATE, source, at);
      at = IN_TEMPLATE.lastIndex;
      if (end === '${') depths.push(0);
      code += ' ` ';
    } else code += brace ?? rest ?? '';
  }
  return { code, texts };
}

function take(pattern: RegExp, source: string, at: number): Record<string, string | undefined> {
  pattern.lastIndex = at;
  return pattern.exec(source)?.groups ?? {};
}
