import { expect, test } from 'vitest';
import { makeByteQueue } from '#core/llm/http/byte-queue.ts';

function makeQueue() {
  const told: string[] = [];
  const queue = makeByteQueue({ onRoom: () => told.push('room'), onCancel: () => told.push('cancel') });
  const read = async () => {
    const { done, value } = await queue.reader.read();
    return done ? null : Buffer.from(value ?? []).toString();
  };
  return { queue, read, told };
}
const bytes = (text: string) => Buffer.from(text);

test('what came together is read together, in order, and then the end', async () => {
  const { queue, read } = makeQueue();
  const first = read();
  queue.push(bytes('a'));
  queue.push(bytes('b'));

  expect(await first).toBe('ab');
  queue.push(bytes('c'));
  queue.end();

  expect([await read(), await read(), await read()]).toEqual(['c', null, null]);
});

test('a break is reported behind what had come, an urgent one at once', async () => {
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

test('a sender too far ahead waits, and learns of room once it is read', async () => {
  const { queue, read, told } = makeQueue();

  const mayGoOn = [queue.push(Buffer.alloc(60_000)), queue.push(Buffer.alloc(60_000))];
  await read();

  expect(mayGoOn).toEqual([true, false]);
  expect(told).toEqual(['room']);
});

test('a reader that leaves gets no more, and ends its connection', async () => {
  const { queue, read, told } = makeQueue();
  queue.push(bytes('a'));

  await queue.reader.cancel();
  queue.push(bytes('b'));

  expect(await read()).toBeNull();
  expect(told).toEqual(['cancel']);
});

test('two reads at once both end', async () => {
  const { queue, read } = makeQueue();
  const reads = Promise.all([read(), read()]);

  queue.push(bytes('a'));
  queue.end();

  expect(await reads).toEqual(['a', null]);
});
