/** A rule of the protocol: what it says, and the files of the code that keep it and name it. */
export type Rule = { says: string; files: string[] };

/** Makes a rule of its words and its files. */
export const rule = (says: string, ...files: string[][]): Rule => ({ says, files: files.flat() });

/** Files of these names in each room. */
export const turn = (...names: string[]) => names.map((name) => `packages/core/turn/${name}.ts`);
export const queue = (...names: string[]) => names.map((name) => `packages/core/queue/${name}.ts`);
export const checkpoint = (...names: string[]) => names.map((name) => `packages/core/checkpoint/${name}.ts`);
export const commits = (...names: string[]) => checkpoint(...names.map((name) => `turns/commits/${name}`));
export const worker = (...names: string[]) => names.map((name) => `services/worker/${name}.ts`);
