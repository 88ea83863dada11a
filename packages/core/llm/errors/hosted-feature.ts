import type { Feature } from './feature.ts';

/** Gemini before its third generation · Vertex, which does not know the field that the combination requires. */
const BESIDE_FUNCTIONS: Feature = {
  words:
    /\btool call context circulation is not enabled|\bbuilt-in tools .{0,200}\bfunction calling\)? cannot be combined|\btool use with function calling is unsupported|\bmultiple tools are supported only when|\binclude_?server_?side_?tool_?invocations\W{1,4}(at .{0,40}cannot find field|(parameter )?is not supported)/i,
  problem: 'does not call functions beside hosted tools',
  advice: 'Leave out the hosted tools or the functions, or choose another model.',
};

/** Anthropic's newer hosted tools, and its versions of hosted tools. */
const VERSIONS: Feature[] = [
  {
    words: /\bprogrammatic tool call/i,
    problem: 'does not call hosted tools from code',
    advice: 'Set allowed_callers to ["direct"] in the options of the hosted tool, or choose another model.',
  },
  {
    words: /(?:\btool types: [^.]*|\binput tag \W)\b(?:web_search|web_fetch|code_execution)_\d{8}\b/i,
    problem: 'does not support this version of the hosted tool',
    advice:
      'Set `type` in the options of the hosted tool to a version that the model supports, leave the tool out, or choose another model.',
  },
];

/** The provider's own names of hosted tools, and the words of refusals. */
const ANY: Feature = {
  words:
    /\bhosted tools?\b|\b(web|file)[_ ]search|\bcode[_ ](interpreter|execution)|\bimage[_ ]gen(eration)?\b|\bweb[_ ]fetch/i,
  problem: 'does not support this hosted tool',
  advice: 'Leave the hosted tool out of `tools`, or choose another model.',
};

/** Returns the hosted tools that a text refuses: a version, a combination with functions, or a tool. */
export function hostedFeatureIn(text: string): Feature | undefined {
  return [BESIDE_FUNCTIONS, ...VERSIONS].find(({ words }) => words.test(text)) ?? (refusesTool(text) ? ANY : undefined);
}

/** Returns whether a text refuses a hosted tool itself, and not a field of the tool. */
function refusesTool(text: string): boolean {
  // A list of supported values may name hosted tools.
  const [refused = ''] = text.split(/\b(?:supported values|expected|must be one of)\b/i);
  return ANY.words.test(refused) && BLAMES_TOOL.test(refused);
}

/** The forms of such refusals: a sentence about the tool, and a type that the server does not know. */
const BLAMES_TOOL = new RegExp(
  [
    '\\b(?:tools?|search|interpreter|generation|execution)\\b(?! options)["\'`]? .{0,40}\\b(?:not (?:currently |yet )?(?:supported|available|enabled)|unsupported|cannot be used with)\\b',
    '\\b(?:unknown|unsupported|invalid|unrecognized) (?:value|variant|tool(?: type)?|type):? ["\'`]?(?:web_search|file_search|code_interpreter|image_generation)\\w{0,20}["\'`]?(?![\\w.])',
    '\\binput tag ["\'`](?:web_search|file_search|code_interpreter|image_generation)\\w{0,20}["\'`]',
    "\\bdoes(?: not|n['’]t) (?:currently |yet )?support (?:the )?(?:hosted tools?|(?:tool )?[\"'`]?(?:web|file|code|image)[_ ]\\w+)",
  ].join('|'),
  'i',
);
