import fc from 'fast-check';
import { cleanText } from '#core/text.ts';

/** Text as models and tools write it: empty, blank, long, with odd characters, unpaired surrogates or NUL. */
export const someText = fc.oneof(
  fc.constantFrom('', ' ', '\n\n', 'Let me check…', 'Done! ⭐', '{"stars":65000}', '[1, 2]', '12345678901234567890'),
  fc.constantFrom('\u0000', 'half \ud83d', 'ends in space \n', 'grüß dich 👋', '</result>', '[TOOL_CALL: get_weather]'),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constant('long '.repeat(5_000)),
);

/** Text from callers: cleaned by the API, and not empty. */
export const givenText = someText.map(cleanText).filter((text) => text !== '');

/** Arguments of a call: objects, and other texts that a model may write. */
export const someArguments = fc.oneof(
  fc.constantFrom('', ' ', '{}', '{"city":"Tokyo"}', '{"city": "Tōkyō\\u0000 👋", "days": 12345678901234567890}'),
  fc.constantFrom('[1,2]', '"Tokyo"', 'null', '7', '{"broken": ', 'city=Tokyo', '\u0000', '{"__proto__":{"a":1}}'),
  fc.json({ maxDepth: 2 }),
  fc.constant(`{"text":"${'x'.repeat(50_000)}"}`),
);

/** Ids from providers: all kinds, missing, repeated, too long, with unusual characters. */
export const someId = fc.constantFrom(
  ...['', 'call_0', 'call_1', 'call_1-2', 'toolu_01A09q90qw90lq917835lq9', 'has space', 'functions.get_weather:0'],
  ...['aB3dE6gH9', 'x'.repeat(64), 'y'.repeat(41), 'z'.repeat(200), 'emulated_1763633000000000000_0', 'inline_1_0'],
);

/** Names that models call: current tools, former tools, and invalid names. */
export const someName = fc.constantFrom(
  ...[
    'get_weather',
    'get_weather',
    'send_mail',
    'old_tool',
    'old tool',
    'old-tool',
    'weird name!',
    'grüße',
    '1st',
    'a.b:c',
  ],
  'n'.repeat(70),
);
