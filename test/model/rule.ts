/** A rule of the protocol: its words, and the files of the code that keep and name it. */
export type Rule = { says: string; files: string[] };

export const rule = (says: string, ...files: string[][]): Rule => ({ says, files: files.flat() });

/** Returns the files of these names in each room. */
export const turn = (...names: string[]) => names.map((name) => `packages/core/turn/${name}.ts`);
export const queue = (...names: string[]) => names.map((name) => `packages/core/queue/${name}.ts`);
export const checkpoint = (...names: string[]) => names.map((name) => `packages/core/checkpoint/${name}.ts`);
export const commits = (...names: string[]) => checkpoint(...names.map((name) => `turns/commits/${name}`));
export const worker = (...names: string[]) => names.map((name) => `services/worker/${name}.ts`);
