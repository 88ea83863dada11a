import { expect, test } from 'vitest';
import { makeBodyRoom } from '#services/api/http/body/body-room.ts';

test('a body enters if its project uses no more bytes than are free', async () => {
  const { enter, entered } = watchRoom(100);

  for (let n = 1; n <= 4; n += 1) enter('busy', `busy ${n}`, 20);
  enter('other', 'other', 40);
  await settled();

  expect(entered.map(({ name }) => name)).toEqual(['busy 1', 'busy 2', 'busy 3', 'other']);
});

test('waiting bodies of several projects enter in rotation', async () => {
  const { enter, entered } = watchRoom(100);
  enter('first', 'first', 100);
  for (let n = 1; n <= 3; n += 1) enter('busy', `busy ${n}`, 60);
  enter('other', 'other', 60);

  for (let n = 0; n < 5; n += 1) {
    await settled();
    entered[n]?.free();
  }

  expect(entered.map(({ name }) => name)).toEqual(['first', 'busy 1', 'other', 'busy 2', 'busy 3']);
});

test('a body larger than the whole room enters alone', async () => {
  const { enter, entered } = watchRoom(100);

  enter('busy', 'large', 500);
  enter('other', 'small', 1);
  await settled();
  const alone = entered.map(({ name }) => name);
  entered[0]?.free();
  entered[0]?.free();
  await settled();

  expect(alone).toEqual(['large']);
  expect(entered.map(({ name }) => name)).toEqual(['large', 'small']);
});

function watchRoom(allBytes: number) {
  const room = makeBodyRoom(allBytes);
  const entered: { name: string; free(): void }[] = [];
  return {
    entered,
    enter: (project: string, name: string, bytes: number) =>
      void room.enter(project, bytes).then((free) => entered.push({ name, free })),
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
