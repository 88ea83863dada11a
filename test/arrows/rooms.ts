const BASE = 'packages/core';
const BOUNDS = 'packages/core/bounds';
const PURE = [BASE, BOUNDS, 'packages/core/turn'];
const SCHEMAS = 'packages/core/json-schema';
const STORES = [...PURE, 'packages/core/postgres'];
const REACHING = [...PURE, 'packages/core/egress'];
const CORE = [
  ...REACHING,
  'packages/core/postgres',
  'packages/core/checkpoint',
  'packages/core/queue',
  'packages/core/pubsub',
  'packages/core/llm',
  'packages/core/schedule',
  'packages/core/tools',
  'packages/core/webhooks',
  SCHEMAS,
];
const STANDALONE = ['packages/simulator', 'packages/embedded-postgres'];
const PROCESS = 'services/process';
const START = 'services/start';
const PARTS = [START, 'services/api', 'services/worker', 'services/migrate'];
const OUTSIDE = ['packages/client', 'packages/cli', 'packages/inspector'];
const PRODUCT = [...CORE, PROCESS, ...PARTS, 'services/standalone', ...STANDALONE, ...OUTSIDE];

/**
 * Every room, and the other rooms that it may import. A folder within a room belongs to the room. The files directly
 * in `packages/core` are the base of all rooms.
 */
export const rooms: Record<string, string[]> = {
  [BASE]: [],
  [BOUNDS]: [BASE],
  [SCHEMAS]: [BASE],
  'packages/core/turn': [BASE, BOUNDS],
  'packages/core/postgres': [BASE],
  'packages/core/checkpoint': STORES,
  'packages/core/queue': STORES,
  'packages/core/pubsub': STORES,
  'packages/core/llm': [...PURE, SCHEMAS],
  'packages/core/schedule': PURE,
  'packages/core/egress': PURE,
  'packages/core/tools': [...REACHING, SCHEMAS],
  'packages/core/webhooks': REACHING,
  'packages/client': [],
  'packages/cli': ['packages/client'],
  // It imports only types of turn/, which are erased in the browser.
  'packages/inspector': ['packages/client', 'packages/core/turn'],
  'packages/simulator': [],
  'packages/embedded-postgres': [],
  [PROCESS]: [...CORE, 'packages/simulator'],
  [START]: [...CORE, PROCESS],
  'services/api': [...CORE, PROCESS, START],
  'services/worker': [...CORE, PROCESS, START],
  'services/migrate': [...CORE, PROCESS],
  'services/standalone': [...CORE, PROCESS, ...PARTS, 'packages/embedded-postgres', 'packages/inspector'],
  migrations: [],
  build: PRODUCT,
  docs: [],
  examples: ['packages/core/tools', 'packages/client'],
  demo: [...PRODUCT, 'examples', 'test/harness'],
  bench: [...PRODUCT, 'test', 'test/harness'],
  'test/harness': [...PRODUCT, 'test'],
  test: [...PRODUCT, 'build', 'docs', 'examples', 'demo', 'bench', 'test/harness', '.'],
  '.': [],
};

/** Returns the room of a file: the innermost folder that is a room. A file directly in `packages` has no room. */
export function roomOf(path: string): string | undefined {
  for (let folder = path; folder.includes('/'); ) {
    folder = folder.slice(0, folder.lastIndexOf('/'));
    if (folder in rooms) return isNewRoom(folder, path) ? undefined : folder;
  }
  return path.includes('/') ? undefined : '.';
}

/** Returns whether a folder should be a room: the base has no folders except rooms. */
function isNewRoom(folder: string, path: string): boolean {
  return folder === BASE && path.slice(folder.length + 1).includes('/');
}
