import { expect, test } from 'vitest';
import { parseMarkers } from '#core/llm/dialects/inline/hold-back.ts';
import { endsThoughts, startThoughts } from '#core/llm/dialects/inline/thought-place.ts';

const call = (name: string) => `[TOOL_CALL: ${name}]`;
const namesIn = (text: string) => parseMarkers(text).calls.map(({ name }) => name);

test.each([
  [`<think>Maybe ${call('draft')}?</think>Let me look. ${call('look')}`, ['look']],
  [`<Thinking>${call('draft')}</Thinking>${call('look')}${call('see')}`, ['look', 'see']],
  [`◁think▷${call('draft')}◁/think▷ ${call('look')}`, ['look']],
  [` \n<think>a</think>\n<think>${call('draft')}</think>${call('look')}`, ['look']],
  [`Maybe ${call('draft')}?\n</think>\n${call('look')}`, ['look']],
  [`<think>An open fence: \n\`\`\`\n${call('draft')}</think>${call('look')}`, ['look']],
  [`<think>${call('draft')} and no end`, []],
])('markers in thoughts are not calls: %j', (text, names) => {
  expect(namesIn(text)).toEqual(names);
});

test.each([
  [`${call('look')} The tag \`</think>\` ends thoughts.`],
  [`${call('look')}\n\`\`\`\n</think>\n\`\`\``],
  [`Write <think> first. ${call('look')}`],
  [`<thin>${call('look')}</thin>`],
  [`<think>a</think>${call('look')} and a stray </think>`],
])('markers are calls if thought tags are elsewhere: %j', (text) => {
  expect(namesIn(text)).toEqual(['look']);
});

test('a marker in thoughts stays in the text', () => {
  const text = `<think>Maybe ${call('draft')}?</think>Hello.`;

  expect(parseMarkers(text)).toEqual({ text, calls: [] });
});

test('thoughts end with the last character of their tag', () => {
  const place = startThoughts();
  const ends = [...'<think>a<b</think>c'].map((char) => endsThoughts(place, char));

  expect(ends.indexOf(true)).toBe('<think>a<b</think>'.length - 1);
  expect(place).toMatchObject({ isThinking: false, isAhead: false });
});
