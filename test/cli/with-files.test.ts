import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFiles } from '#cli/with-files.ts';
import { audio, file, image, MP3, PDF, PNG, text, user } from '#test/api/blobs/samples.ts';
import { newFolder } from '#test/harness/new-folder.ts';

test('files follow the text as parts of their kinds', async () => {
  await using made = await newFolder('files');
  const folder = made.path;
  const paths = { 'a.png': PNG, 'b.PDF': PDF, 'c.mp3': MP3 };
  for (const [name, base64] of Object.entries(paths))
    await writeFile(join(folder, name), Buffer.from(base64, 'base64'));

  const files = Object.keys(paths).map((name) => join(folder, name));
  const input = await withFiles('What is it?', files);

  expect(input).toEqual(user(text('What is it?'), image(PNG), { ...file(PDF), filename: 'b.PDF' }, audio(MP3, 'mp3')));
  expect(await withFiles('Hi', [])).toBe('Hi');
});

test('a missing file is named', async () => {
  await expect(withFiles('Hi', ['/nowhere/a.png'])).rejects.toThrow('The file /nowhere/a.png cannot be read (ENOENT).');
});
