import { expect, test } from 'vitest';
import { exceedsJson, JSON_LIMITS, withoutThoughts } from '#core/json.ts';

const { depth, values } = JSON_LIMITS;
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

test.each([
  ['the maximum of levels', nested(depth), null],
  ['one level more', nested(depth + 1), 'more than 100 levels of JSON'],
  [
    'one level more, of objects within lists',
    `${'[{"a":'.repeat(51)}0${'}]'.repeat(51)}`,
    'more than 100 levels of JSON',
  ],
  ['many lists beside each other', `[${Array.from({ length: 300 }, () => '[{}]').join()}]`, null],
  ['many brackets within a text', JSON.stringify({ text: '[{'.repeat(300) }), null],
  ['the maximum of values', `[${Array.from({ length: values }, () => '1').join()}]`, null],
  ['one value more', `[${Array.from({ length: values + 1 }, () => '1').join()}]`, 'more than 250,000 JSON values'],
  ['a long text with few values', JSON.stringify({ text: 'a, '.repeat(values) }), null],
])('JSON with %s is measured without a parse', (_, text, excess) => {
  expect(exceedsJson(text)).toBe(excess);
});

const answer = '{"city":"Bern"}';

test.each([
  `<think>\nMaybe {"city": "?"} first.\n</think>\n\n${answer}`,
  `Hm, a city.\n</think>\n${answer}`,
  `{"city": "?"} or so.</think>${answer}`,
  `<thinking>Hm.</thinking>${answer}`,
  `<reasoning>Hm.</reasoning>\n${answer}`,
  `◁think▷Hm.◁/think▷${answer}`,
  `[THINK]Hm.[/THINK]${answer}`,
  `<think></think><think>Hm.</think> So: <think>ok</think>${answer}`,
  `<think>Is </think> a tag?</think>${answer}`,
  `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>${answer}<|return|>`,
  `<|channel|>analysis<|message|>Hm.<|channel|>final <|constrain|>json<|message|>${answer}`,
  `analysisWe need a city.assistantfinal${answer}`,
])('thoughts before an answer are removed: %j', (text) => {
  expect(withoutThoughts(text)).toBe(answer);
});

test('a fence around an answer stays when its thoughts are removed', () => {
  expect(withoutThoughts(`<think>\`\`\`json\n{}\n\`\`\`</think>\n\`\`\`json\n${answer}\n\`\`\``)).toBe(
    `\`\`\`json\n${answer}\n\`\`\``,
  );
});

test.each([
  JSON.stringify({ html: 'Write <think>a</think>{"b":1}' }),
  `\`\`\`json\n${JSON.stringify({ html: '</think>' })}\n\`\`\``,
  '<think>I never came to an end',
  'No thoughts at all.',
])('a text without thoughts stays unchanged: %j', (text) => {
  expect(withoutThoughts(text)).toBe(text);
});

test('an answer keeps thought marks inside its strings', () => {
  const marked = JSON.stringify({ html: '</think>{"b":1}' });

  expect(withoutThoughts(`<think>Hm.</think>${marked}`)).toBe(marked);
});

test('the words after the last thoughts are the answer if no JSON follows', () => {
  expect(withoutThoughts('<think>a</think>b<think>c</think> Hello. ')).toBe('Hello.');
});
