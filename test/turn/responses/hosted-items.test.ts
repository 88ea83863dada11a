import { expect, test } from 'vitest';
import { fitEvent } from '#core/pubsub/fit-event.ts';
import type { Hosted, HostedCall } from '#core/turn/hosted/hosted.ts';
import { itemsOfTurn, withoutItems } from '#core/turn/responses/conversation-items.ts';
import { itemOf, outputAsInput } from '#core/turn/responses/input-item.ts';
import { LOG_START, readSection } from '#core/turn/responses/log.ts';
import { outputItems } from '#core/turn/responses/output-item.ts';
import { sizeOfPieces } from '#core/turn/responses/piece.ts';
import { presentResponse } from '#core/turn/responses/present.ts';
import { runningPieces } from '#core/turn/responses/running-round.ts';
import { comparePieces } from '#core/turn/responses/sent.ts';
import type { Turn } from '#core/turn/turn.ts';
import {
  citation,
  dot,
  makeCode,
  makeFileSearch,
  makeImageCall,
  makeSearch,
  PIXEL,
  started,
} from '../hosted/make-hosted.ts';
import { makeRound } from '../make-turn.ts';
import { askedResponse, makeResponse } from './make-response.ts';

const X = '01m7w82gkpe02bxqqn57m42ygc';
const fetched = makeSearch({ id: 'wf_1', type: 'web_fetch', input: { url: 'https://pawl.example/b' } });
const calls = [makeSearch(), fetched, makeCode(), makeFileSearch(), makeImageCall()];
const all = [
  ...['web_search_call.action.sources', 'web_search_call.results'],
  ...['code_interpreter_call.outputs', 'file_search_call.results'],
];

/** Returns a completed turn with one round. Its model may call hosted tools unless `isPlain`. */
function answered(hosted: Partial<Hosted>, { include = [], isPlain = false, ...own }: Own = {}): Turn {
  const round = {
    ...makeRound(1, null),
    ...{ reasoning: 'Hm.', hosted: { calls: [], annotations: [], images: [], ...hosted } },
    ...own,
  };
  const turn = makeResponse(
    { status: 'completed', output: 'Found it.', rounds: [round] },
    { ...askedResponse, include },
  );
  return isPlain ? turn : { ...turn, config: { ...turn.config, hosted_tools: [{ type: 'web_search' }] } };
}
type Own = { include?: string[]; isPlain?: boolean; refusalFrom?: number };

test('items of hosted calls are between reasoning and message, with ids of their kinds', () => {
  const items = outputItems(answered({ calls, images: [dot] }));

  expect(items.map(({ id, type }) => [id, type])).toEqual([
    [`rs_${X}_r1`, 'reasoning'],
    [`ws_${X}_r1_0`, 'web_search_call'],
    [`ws_${X}_r1_1`, 'web_search_call'],
    [`ci_${X}_r1_2`, 'code_interpreter_call'],
    [`fs_${X}_r1_3`, 'file_search_call'],
    [`ig_${X}_r1_4`, 'image_generation_call'],
    [`msg_${X}_r1`, 'message'],
  ]);
});

test('items of hosted calls follow the message if the turn has no hosted tools', () => {
  const turn = answered({ calls: [makeSearch()] }, { isPlain: true });
  const own = { ...turn, config: { ...turn.config, provider_options: { tools: [{ googleSearch: {} }] } } };

  expect(outputItems(turn).map(({ type }) => type)).toEqual(['reasoning', 'message', 'web_search_call']);
  expect(outputItems(own).map(({ type }) => type)).toEqual(['reasoning', 'web_search_call', 'message']);
});

test('items of hosted calls show outputs only if the request includes them', () => {
  const shownWith = (include: string[]) => outputItems(answered({ calls, images: [dot] }, { include })).slice(1, -1);

  expect(shownWith([])).toMatchObject([
    { status: 'completed', action: { type: 'search', query: 'pawl', queries: ['pawl'] } },
    { action: { type: 'open_page', url: 'https://pawl.example/b' } },
    { code: 'print(6 * 7)', outputs: null },
    { queries: ['turns'], results: null },
    { result: PIXEL, output_format: 'png', revised_prompt: 'A dot' },
  ]);
  expect(shownWith([])[0]).not.toHaveProperty('results');
  expect(shownWith(all)).toMatchObject([
    { action: { sources: [{ type: 'url', url: 'https://pawl.example/a' }] }, results: [{ title: 'A' }] },
    { action: { type: 'open_page' } },
    { outputs: [{ type: 'logs', logs: '42\n' }] },
    { results: [{ attributes: {}, file_id: 'file_1', filename: 'a.md', score: 0.5, text: 'A turn.' }] },
    {},
  ]);
});

test.each([
  [{ queries: ['a', 'b'] }, { query: 'a', queries: ['a', 'b'] }],
  [{ query: 'a' }, { query: 'a', queries: ['a'] }],
  [
    { type: 'find_in_page', url: 'https://a.b', pattern: 'x' },
    { type: 'find_in_page', pattern: 'x' },
  ],
  [{ type: 'open_page' }, { type: 'open_page', url: null }],
  [null, { type: 'search', query: '' }],
  [
    { query: 7, queries: [7] },
    { type: 'search', query: '' },
  ],
])('a web search with the input %j has the action %j', (input, action) => {
  const [item] = outputItems(answered({ calls: [makeSearch({ input, output: 'no JSON' })] }, { include: all })).slice(
    1,
  );

  expect(item).toMatchObject({ action });
});

test('the annotations of a message count within its text, without the refusal', () => {
  const annotations = [
    ...[citation(0, 5), citation(3, 9), citation(0, 99)],
    { type: 'file_citation', file_id: 'file_1', title: 'a.md', start_index: 2, end_index: 4 } as const,
  ];

  const content = (own: Own) => outputItems(answered({ annotations }, own)).at(-1);

  const url = { type: 'url_citation', url: 'https://pawl.example/a', title: 'A', start_index: 0, end_index: 5 };
  const file = { type: 'file_citation', file_id: 'file_1', filename: 'a.md', index: 4 };
  expect(content({})).toMatchObject({ content: [{ annotations: [url, { start_index: 3, end_index: 9 }, file] }] });
  expect(content({ refusalFrom: 6 })).toMatchObject({
    content: [{ text: 'Found ', annotations: [url, file] }, { refusal: 'it.' }],
  });
});

test('an image without a call is an item after the message', () => {
  const jpeg = { url: `blob:${'a'.repeat(64)};image/jpeg`, offset: 9 };

  const loose = outputItems(answered({ images: [dot, jpeg] })).slice(-2);
  const [, made] = outputItems(answered({ calls: [makeImageCall({ offset: 9 })], images: [dot, jpeg] }));

  expect(loose).toMatchObject([
    { id: `ig_${X}_r1_0`, status: 'completed', result: PIXEL, output_format: 'png' },
    { id: `ig_${X}_r1_1`, result: null, output_format: 'jpeg' },
  ]);
  expect(made).toMatchObject({ id: `ig_${X}_r1_0`, output_format: 'jpeg' });
});

test('a failed call ends its item without an event of completion', () => {
  const failed = makeSearch({ status: 'failed', output: null, error: 'The page is gone.' });

  expect(typesOf(answered({ calls: [failed] })).slice(6, 10)).toEqual([
    ...['output_item.added', 'web_search_call.in_progress', 'web_search_call.searching', 'output_item.done'],
  ]);
});

test('each kind of hosted call has its own events, and citations follow the text', () => {
  const turn = answered({ calls: [makeCode(), makeImageCall()], images: [dot], annotations: [citation(0, 5)] });

  expect(typesOf(turn).slice(6)).toEqual([
    ...['output_item.added', 'code_interpreter_call.in_progress', 'code_interpreter_call_code.delta'],
    ...['code_interpreter_call_code.done', 'code_interpreter_call.interpreting', 'code_interpreter_call.completed'],
    ...['output_item.done', 'output_item.added', 'image_generation_call.in_progress'],
    ...['image_generation_call.generating', 'image_generation_call.completed', 'output_item.done'],
    ...['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.annotation.added'],
    ...['output_text.done', 'content_part.done', 'output_item.done'],
  ]);
});

test.each([[[]], [['reasoning.encrypted_content']]])('running pieces begin the committed round, with %j', (state) => {
  const turn = answered({ calls, images: [dot], annotations: [citation(0, 5)] }, { include: [...all, ...state] });
  const whole = piecesOf(turn);
  const seen = (hosted: HostedCall[], text = '') => ({
    ...{ round: 1, reasoning: 'Hm.', reasoningLength: 3, refusalFrom: null, text, hosted },
  });

  const sizes = [0, 1, 2, 3, 4, 5].flatMap((count) => {
    const ended = calls.slice(0, count);
    const next = calls.slice(count, count + 2).map(started);
    return [seen(ended), seen([...ended, ...next]), seen([...ended, ...next], 'Found')].map((running) => {
      const pieces = runningPieces(turn, running, 0);
      expect(comparePieces(whole, { pieces, units: sizeOfPieces(pieces) })).toBe('same');
      return sizeOfPieces(pieces);
    });
  });

  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  expect(sizes.at(-1)).toBeLessThan(sizeOfPieces(whole));
});

test.each([
  makeSearch({ output: JSON.stringify(Array(200).fill({ url: 'https://pawl.example/a', title: 'A page' })) }),
  makeCode({ output: 'x'.repeat(9000) }),
  makeCode({ input: { code: 'x'.repeat(9000) } }),
])('running pieces begin the committed round if a call exceeds a live event: %#', (call) => {
  for (const include of [[], all]) {
    const turn = answered({ calls: [call, makeSearch()] }, { include });
    const event = { turn_id: turn.id, round: 1, attempt: 1, hosted_call: call };
    const live = fitEvent({ type: 'hosted_call.completed', ...event }).flatMap((fit) =>
      'hosted_call' in fit ? [fit.hosted_call, started(makeSearch())] : [],
    );
    const seen = { round: 1, reasoning: 'Hm.', reasoningLength: 3, refusalFrom: null, text: '', hosted: live };
    const pieces = runningPieces(turn, seen, 0);
    expect(comparePieces(piecesOf(turn), { pieces, units: sizeOfPieces(pieces) })).toBe('same');
  }
});

test('a deleted hosted call is not sent to a model, nor its image and state', () => {
  const turn = answered({ calls, images: [dot] });
  const id = (item: string) => `${item}_${X}_r1_4`;

  const left = withoutItems({ ...turn, rounds: [{ ...turn.rounds[0]!, opaque: { blocks: [] } }] }, [id('ig')]);

  expect(left.rounds[0]).toMatchObject({ hosted: { calls: calls.slice(0, 4), images: [] }, opaque: null, text: null });
  expect(itemsOfTurn(turn, [id('ig')]).map((item) => item.id)).not.toContain(id('ig'));
});

test('an item of a hosted call becomes the same call in another input', () => {
  const turn = answered({ calls: [makeSearch()], images: [dot] });

  expect(itemOf(turn, `ws_${X}_r1_0`)).toEqual({ type: 'hosted_call', call: makeSearch() });
  expect(itemOf(turn, `ws_${X}_r1_1`)).toBeUndefined();
  expect(outputAsInput(turn)).toEqual([
    { type: 'hosted_call', call: makeSearch() },
    { role: 'assistant', content: 'Found it.' },
  ]);
});

test('an image in an input has its data, or the address of a blob only by its id', () => {
  const imageOf = (url: string) => answered({ calls: [makeImageCall()], images: [{ url, offset: 0 }] });
  const withImage = (url: string) => ({ call: makeImageCall(), images: [{ type: 'input_image', image_url: url }] });
  const blob = `blob:${'a'.repeat(64)};image/png`;

  expect(outputAsInput(imageOf(dot.url))[0]).toMatchObject(withImage(dot.url));
  expect(outputAsInput(imageOf(blob))[0]).toEqual({ type: 'hosted_call', call: makeImageCall() });
  expect(itemOf(imageOf(blob), `ig_${X}_r1_0`)).toMatchObject(withImage(blob));
});

test('a native turn shows its hosted tools by their names in the OpenAI API', () => {
  const turn = answered({});
  const hosted_tools = [{ type: 'code_execution' as const }, { type: 'file_search' as const, options: { a: 1 } }];
  const { response: _, ...config } = turn.config;

  const { tools } = presentResponse({ ...turn, config: { ...config, hosted_tools } });

  expect(tools).toEqual([{ type: 'code_interpreter' }, { type: 'file_search', a: 1 }]);
});

function piecesOf(turn: Turn) {
  const beginning = readSection(turn, LOG_START, () => [])!;
  return readSection(turn, beginning.next, () => [])!.pieces;
}

function typesOf(turn: Turn): string[] {
  return piecesOf(turn).flatMap((piece) =>
    piece.kind === 'silence' ? [] : [piece.event.type.replace('response.', '')],
  );
}
