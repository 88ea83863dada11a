import fc from 'fast-check';
import type { InputItem, Part } from '#core/turn/request/item.ts';
import { someReply, speakers } from './arbitrary-reply.ts';
import { givenText, someArguments, someId, someName, someText } from './arbitrary-text.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';
const part: fc.Arbitrary<Part> = fc.oneof(
  someText.map((text) => ({ type: 'input_text' as const, text })),
  fc
    .constantFrom(png, 'https://example.com/a.png', 'data:image/svg+xml;base64,PHN2Zz4=', 'data:,x', 'no address')
    .map((image_url) => ({ type: 'input_image' as const, image_url })),
  fc
    .constantFrom(
      ...['data:application/pdf;base64,JVBERi0=', 'data:text/plain,%20', 'data:text/csv;charset=utf-8,a%2Cb'],
      ...['data:text/plain;base64,/w==', 'data:application/zip;base64,UEs=', 'data:application/pdf;base64,?'],
    )
    .map((file_data) => ({ type: 'input_file' as const, file_data, filename: null })),
  fc
    .constantFrom('mp3' as const, 'wav' as const)
    .map((format) => ({ type: 'input_audio' as const, data: 'UklGRg==', format })),
  fc.constant({ type: 'input_file' as const, file_url: 'https://example.com/paper.pdf', filename: 'paper.pdf' }),
);
/** Parts of all kinds. No wire takes some of these parts. */
export const someParts = fc.array(part, { minLength: 1, maxLength: 4 });

const message: fc.Arbitrary<InputItem> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      role: fc.constantFrom('user', 'user', 'user', 'assistant', 'system', 'developer'),
      content: givenText,
    }),
  },
  { weight: 1, arbitrary: someParts.map((content) => ({ role: 'user' as const, content })) },
);

const output = fc.oneof(someText, someParts);
const asked: fc.Arbitrary<InputItem> = fc.oneof(
  fc.record({ type: fc.constant('function_call'), call_id: someId, name: someName, arguments: someArguments }),
  fc.record({ type: fc.constant('custom_tool_call'), call_id: someId, name: someName, input: someText }),
  fc.record({
    ...{ type: fc.constant('mcp_call'), server_label: fc.constantFrom('pawl', 'docs'), name: someName },
    ...{ arguments: someArguments, output: fc.option(someText), error: fc.option(someText) },
  }),
);
const answered: fc.Arbitrary<InputItem> = fc.record({
  ...{ type: fc.constantFrom('function_call_output', 'custom_tool_call_output'), call_id: someId, output },
});

/** The state of a reply, with or without its message. */
const state: fc.Arbitrary<InputItem> = fc
  .constantFrom(...speakers)
  .chain((provider) =>
    someReply(provider).map((reply) => ({ type: 'opaque_state', provider, state: reply?.opaque ?? null })),
  );

const compaction: fc.Arbitrary<InputItem> = fc.string().map((summary) => ({ type: 'compaction', summary }));

/** One input item of any kind, with or without its counterpart. */
export const someItem: fc.Arbitrary<InputItem> = fc.oneof(
  { weight: 14, arbitrary: message },
  { weight: 2, arbitrary: asked },
  { weight: 3, arbitrary: answered },
  { weight: 1, arbitrary: state },
  { weight: 1, arbitrary: compaction },
);

/** A call and its result from elsewhere, with other items possible between them. */
export const someExchange: fc.Arbitrary<InputItem[]> = fc
  .record({
    id: someId,
    name: someName,
    args: someArguments,
    result: output,
    between: fc.array(someItem, { maxLength: 2 }),
  })
  .map(({ id, name, args, result, between }) => [
    { type: 'function_call', call_id: id, name, arguments: args },
    ...between,
    { type: 'function_call_output', call_id: id, output: result },
  ]);
