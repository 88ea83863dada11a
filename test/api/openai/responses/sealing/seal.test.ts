import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newSealingKey, sealState, spreadKey, unsealState } from '#services/api/openai/responses/sealing/seal.ts';

const keys = spreadKey(newSealingKey());
const owner = { project: 'acme', provider: 'anthropic' };
const place = 'rs_X_r1';
const state = { blocks: [{ type: 'thinking', thinking: 'Where? 🐢', signature: 'sig' }] };
const sealed = sealState(keys, state, { ...owner, place });

test('any state comes back as it was, and never the same text for two states or places', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), fc.string(), fc.string(), (one, other, here, there) => {
      const seal = (value: unknown, at: string) => sealState(keys, value, { ...owner, place: at });
      const isSame = here === there && JSON.stringify(one) === JSON.stringify(other);

      expect(unsealState(keys, seal(one, here), owner)).toEqual(JSON.parse(JSON.stringify(one)));
      expect(nonceOf(seal(one, here)) === nonceOf(seal(other, there))).toBe(isSame);
    }),
  );
});

test('the same state at the same place is sealed alike, so that all processes answer the same', () => {
  expect(sealState(keys, structuredClone(state), { ...owner, place })).toBe(sealed);
});

test('what was changed in any character is nothing, and so is what was cut or lengthened', () => {
  const characters = Array.from(sealed, (_, at) => sealed.slice(0, at) + other(sealed[at]!) + sealed.slice(at + 1));
  const longer = [`${sealed}A`, `${sealed}=`, `${sealed}\n`, ` ${sealed}`, sealed + sealed];
  const shorter = [sealed.slice(0, -1), sealed.slice(0, 20), 'pawl1.', ''];

  for (const forged of [...characters, ...longer, ...shorter]) expect(unsealState(keys, forged, owner)).toBeNull();
});

test('what was sealed for another project or provider, or by another database, is nothing', () => {
  const foreign = spreadKey(newSealingKey());

  expect(unsealState(keys, sealed, owner)).toEqual(state);
  expect(unsealState(keys, sealed, { ...owner, project: 'other' })).toBeNull();
  expect(unsealState(keys, sealed, { ...owner, provider: 'gemini' })).toBeNull();
  expect(unsealState(keys, sealed, { project: 'acme","anthropic', provider: '' })).toBeNull();
  expect(unsealState(foreign, sealed, owner)).toBeNull();
  expect(unsealState(keys, 'gAAAAABo_of_another_maker', owner)).toBeNull();
});

test('a round without state is sealed, too: as nothing', () => {
  expect(unsealState(keys, sealState(keys, null, { ...owner, place }), owner)).toBeNull();
});

function nonceOf(text: string): string {
  return text.slice('pawl1.'.length, 'pawl1.'.length + 16);
}

/** Another character that such a text may have at any place but its first six. */
function other(character: string): string {
  return character === 'A' ? 'B' : 'A';
}
