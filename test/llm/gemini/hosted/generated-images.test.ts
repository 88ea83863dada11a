import { expect, test } from 'vitest';
import { renderRequest } from '#core/llm/gemini/render-request.ts';
import { contentsOf, round } from '#test/llm/gemini/history.ts';
import { end, parts, read } from '#test/llm/gemini/reading.ts';
import { user } from '#test/llm/history.ts';
import { someRequest } from '#test/llm/provider-exam.ts';

const image = (data: string, more: object = {}) => ({ inlineData: { mimeType: 'image/png', data }, ...more });
const shown = (data: string) => ({ type: 'input_image', image_url: `data:image/png;base64,${data}` }) as const;

/** Returns the parts that are sent back for a reply of a message with these images. */
function sentBack({ reply }: ReturnType<typeof read>, images: string[]) {
  const state = JSON.parse(JSON.stringify(reply.opaque));
  const message = { ...round(reply.text, [], state), parts: images.map(shown) };
  return contentsOf([user('Draw'), message, user('Again')])[1]!.parts;
}

test('gemini: images of a reply have their places, and the state has no data', () => {
  const reading = read(
    parts({ text: 'Here: ' }, image('QUJD', { thoughtSignature: 's1' })),
    parts({ text: 'and' }, image('REVG')),
    end(),
  );

  expect(reading.reply.hosted).toEqual({
    calls: [],
    annotations: [],
    images: [
      { url: 'data:image/png;base64,QUJD', offset: 6 },
      { url: 'data:image/png;base64,REVG', offset: 9 },
    ],
  });
  expect(JSON.stringify(reading.reply.opaque)).not.toMatch(/QUJD|REVG/);
});

test('gemini: images are sent back in their parts, with their signatures', () => {
  const came = [{ text: 'Here: ' }, image('QUJD', { thoughtSignature: 's1' }), { text: 'and' }, image('REVG')];

  const reading = read(parts(...came), end());

  expect(sentBack(reading, ['QUJD', 'REVG'])).toEqual(came);
});

test('gemini: parts of images are left out if an image is missing', () => {
  const reading = read(parts(image('QUJD'), { text: 'So.' }, image('REVG')), end());

  expect(sentBack(reading, ['QUJD'])).toEqual([{ text: 'So.' }]);
  expect(sentBack(reading, [])).toEqual([{ text: 'So.' }]);
});

test('gemini: a reply of only an image is a reply, and is sent back', () => {
  const reading = read(parts(image('QUJD', { thoughtSignature: 's1' })), end());

  expect(reading.reply).toMatchObject({ text: null, hasMore: true });
  expect(sentBack(reading, ['QUJD'])).toEqual([image('QUJD', { thoughtSignature: 's1' })]);
});

test('gemini: images of thoughts and other media are neither shown nor stored', () => {
  const audio = { inlineData: { mimeType: 'audio/wav', data: 'QUJD' } };
  const reading = read(parts(image('QUJD', { thought: true, thoughtSignature: 's' }), audio, { text: 'Hi' }), end());

  expect(reading.reply).toMatchObject({ text: 'Hi', opaque: null, hasMore: true });
  expect(reading.reply).not.toHaveProperty('hosted');
});

test('gemini: an image becomes a note if the state does not fit the reply', () => {
  const state = { parts: [{ whole: image('') }, { text: 99, thoughtSignature: 's' }] };

  const contents = contentsOf([user('Draw'), { ...round('So.', [], state), parts: [shown('QUJD')] }]);

  expect(contents[1]!.parts).toEqual([{ text: '[The model made an image.]\nSo.' }]);
});

test('gemini: calls and images become notes if a server refuses signatures', () => {
  const code = { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: 's1' };
  const { reply } = read(parts(code, image('QUJD', { thoughtSignature: 's2' }), { text: 'So.' }), end());
  const message = { ...round(reply.text, [], reply.opaque), hosted: reply.hosted!.calls, parts: [shown('QUJD')] };
  const request = { ...someRequest, messages: [user('Draw'), message] };

  const { contents } = renderRequest(request, 'gemini', { isKept: false, isFilled: false });

  const text = expect.stringMatching(/^\[The provider ran code_execution .*\n\[The model made an image\.\]\nSo\.$/);
  expect(contents[1]!.parts).toEqual([{ text }]);
  expect(contents[2]).toMatchObject({ role: 'user', parts: [{ text: expect.any(String) }, image('QUJD')] });
});
