import { expect, test } from 'vitest';
import { makeByteQueue } from '#core/llm/http/byte-queue.ts';

function makeQueue() {
  const signals: string[] = [];
  const queue = makeByteQueue({ onRoom: () => signals.push('room'), onCancel: () => signals.push('cancel') });
  const read = async () => {
    const { done, value } = await queue.reader.read();
    return done ? null : Buffer.from(value ?? []).toString();
  };
  return { queue, read, signals };
}
const bytes = (text: string) => Buffer.from(text);

test('chunks that arrive together are read together, in order, before the end', async () => {
  const { queue, read } = makeQueue();
  const first = read();
  queue.push(bytes('a'));
  queue.push(bytes('b'));

  expect(await first).toBe('ab');
  queue.push(bytes('c'));
  queue.end();

  expect([await read(), await read(), await read()]).toEqual(['c', null, null]);
});

test('a failure is read after the data, and an urgent failure at once', async () => {
  const cut = makeQueue();
  const left = makeQueue();
  cut.queue.push(bytes('a'));
  left.queue.push(bytes('a'));

  cut.queue.fail(new Error('cut'), false);
  left.queue.fail(new Error('left'), true);

  expect(await cut.read()).toBe('a');
  await expect(cut.read()).rejects.toThrow('cut');
  await expect(left.read()).rejects.toThrow('left');
});

test('a sender waits if the queue is full, and continues after a read', async () => {
  const { queue, read, signals } = makeQueue();

  const mayGoOn = [queue.push(Buffer.alloc(60_000)), queue.push(Buffer.alloc(60_000))];
  await read();

  expect(mayGoOn).toEqual([true, false]);
  expect(signals).toEqual(['room']);
});

test('a reader that cancels gets no more data, and ends its connection', async () => {
  const { queue, read, signals } = makeQueue();
  queue.push(bytes('a'));

  await queue.reader.cancel();
  queue.push(bytes('b'));

  expect(await read()).toBeNull();
  expect(signals).toEqual(['cancel']);
});

test('two simultaneous reads both end', async () => {
  const { queue, read } = makeQueue();
  const reads = Promise.all([read(), read()]);

  queue.push(bytes('a'));
  queue.end();

  expect(await reads).toEqual(['a', null]);
});
