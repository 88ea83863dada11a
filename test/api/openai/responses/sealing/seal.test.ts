import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newSealingKey, sealState, spreadKey, unsealState } from '#services/api/openai/responses/sealing/seal.ts';

const keys = spreadKey(newSealingKey());
const owner = { project: 'acme', provider: 'anthropic' };
const place = 'rs_X_r1';
const state = { blocks: [{ type: 'thinking', thinking: 'Where? 🐢', signature: 'sig' }] };
const sealed = sealState(keys, state, { ...owner, place });

test('a sealed state is restored, and its nonce differs for other states or places', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), fc.string(), (one, other, here, there) => {
      const seal = (value: unknown, at: string) => sealState(keys, value, { ...owner, place: at });
      const isSame = here === there && JSON.stringify(one) === JSON.stringify(other);

      expect(unsealState(keys, seal(one, here), owner)).toEqual(JSON.parse(JSON.stringify(one)));
      expect(nonceOf(seal(one, here)) === nonceOf(seal(other, there))).toBe(isSame);
    }),
  );
});

test('a state has the same seal at the same place in all processes', () => {
  expect(sealState(keys, structuredClone(state), { ...owner, place })).toBe(sealed);
});

test('a seal with any changed, missing or added character is rejected', () => {
  const characters = Array.from(sealed, (_, at) => sealed.slice(0, at) + other(sealed[at]!) + sealed.slice(at + 1));
  const longer = [`${sealed}A`, `${sealed}=`, `${sealed}\n`, ` ${sealed}`, sealed + sealed];
  const shorter = [sealed.slice(0, -1), sealed.slice(0, 20), 'pawl1.', ''];

  for (const forged of [...characters, ...longer, ...shorter]) expect(unsealState(keys, forged, owner)).toBeNull();
});

test('a seal of another project, provider or database is rejected', () => {
  const foreign = spreadKey(newSealingKey());

  expect(unsealState(keys, sealed, owner)).toEqual(state);
  expect(unsealState(keys, sealed, { ...owner, project: 'other' })).toBeNull();
  expect(unsealState(keys, sealed, { ...owner, provider: 'gemini' })).toBeNull();
  expect(unsealState(keys, sealed, { project: 'acme","anthropic', provider: '' })).toBeNull();
  expect(unsealState(foreign, sealed, owner)).toBeNull();
  expect(unsealState(keys, 'gAAAAABo_of_another_maker', owner)).toBeNull();
});

test('the seal of a round without state unseals as null', () => {
  expect(unsealState(keys, sealState(keys, null, { ...owner, place }), owner)).toBeNull();
});

function nonceOf(text: string): string {
  return text.slice('pawl1.'.length, 'pawl1.'.length + 16);
}

/** Returns another character that is valid in a seal after its prefix. */
function other(character: string): string {
  return character === 'A' ? 'B' : 'A';
}
