import { expect, test } from 'vitest';
import { connect } from '#core/checkpoint/connect.ts';
import { findOrCreateSealingKey } from '#core/checkpoint/sealing-key.ts';
import { createTestDatabase } from '#test/harness/stores/test-database.ts';

test('a database has one sealing key, even if several processes propose a key', async () => {
  const url = await createTestDatabase();
  const connections = Array.from({ length: 4 }, () => connect(url));

  const keys = await Promise.all(connections.map(({ db }, index) => findOrCreateSealingKey(db, () => `key ${index}`)));
  const later = await findOrCreateSealingKey(connections[0]!.db, () => 'late');

  expect(new Set([...keys, later]).size).toBe(1);
  await Promise.all(connections.map(({ close }) => close()));
});
