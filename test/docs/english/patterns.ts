/** A habit of writing that makes a sentence hard to read, and its replacement. */
export type Pattern = { name: string; match: RegExp; instead: string };

/** Words that show that “one” before them is a pronoun and not a number. */
const AFTER_PRONOUN = String.raw`(?=[,.;:)]|$|\s(?:that|which|who|whose|is|was|has|had|may|can|will|with|in|for|on|from|as|after|when|if|it)\b)`;

/** The patterns that the budgets count. The word or its use in a sentence decides. A question may begin with “what”. */
export const PATTERNS: Pattern[] = [
  { name: 'what', match: /\bwhat\b(?! (?:to|if)\b)(?![^.?!\n]*\?)/gi, instead: 'the noun' },
  { name: 'where', match: /\bwhere\b(?! to\b)(?![^.?!\n]*\?)/gi, instead: '“if”, “when”, or the name of the place' },
  {
    name: 'who',
    match: /\b(?:whoever|whatever|whose|nobody|somebody)\b/gi,
    instead: 'the name of the client or component',
  },
  {
    name: 'one',
    match: new RegExp(
      String.raw`\bones\b|\bone${AFTER_PRONOUN}|\b(?:this|that|such|old|new|first|last|next)\sone\b`,
      'gi',
    ),
    instead: 'the noun again',
  },
  {
    name: 'of it',
    match:
      /\bof\s(?:it|them)\b|\bof\s(?:that|those|these)(?=[,.;:)]|$|\s(?:and|or|that|which|is|are|was|of|in|with)\b)/gi,
    instead: 'the noun again',
  },
  { name: 'tell', match: /\b(?:tells?|told|telling)\b/gi, instead: '“report”, “send”, “show” or “say”' },
  {
    name: 'behind',
    match: /\bbehind\b(?! (?:an?|the|your|one|its) [\w-]*(?:proxy|proxies|pooler|balancer|router|NAT)\b)/gi,
    instead: '“after”',
  },
  { name: 'stand', match: /\b(?:stands?|stood)\b/gi, instead: '“is”, “depends on” or “replaces”' },
  { name: 'nothing', match: /\bnothing\b/gi, instead: '“no” with a noun, or a verb with “not”' },
  { name: 'come', match: /\b(?:comes?|came|coming)\b/gi, instead: '“arrive”, “follow” or “be sent”' },
  {
    name: 'go',
    match:
      /\b(?:goes?|went|going|gone) (?:on|away|with|along|out|by|back|down|ahead)\b|\blets? (?:\w+ )?go\b|\b(?:is|are|was|be) gone\b/gi,
    instead: '“continue”, “be deleted” or “be sent”',
  },
  { name: 'semicolon', match: /;(?!\w)/g, instead: 'two sentences, or a list' },
];

/** Returns how often each pattern occurs in a thousand words of these texts, rounded to a tenth. */
export function countPatterns(texts: string[]): Record<string, number> {
  const words = texts.reduce((sum, text) => sum + countWords(text), 0);
  return Object.fromEntries(
    PATTERNS.map(({ name, match }) => {
      const found = texts.reduce((sum, text) => sum + (text.match(match)?.length ?? 0), 0);
      return [name, Math.round((found / Math.max(words, 1)) * 10_000) / 10];
    }),
  );
}

/** Counts words: letters with the marks inside a word. */
export function countWords(text: string): number {
  return text.match(/\p{L}[\p{L}\d’'-]*/gu)?.length ?? 0;
}
