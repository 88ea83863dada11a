const GROUND = 'packages/core';
const HEART = [GROUND, 'packages/core/turn'];
const MIDDLE = [...HEART, 'packages/core/outbound'];
const CORE = [
  ...MIDDLE,
  'packages/core/checkpoint',
  'packages/core/queue',
  'packages/core/live',
  'packages/core/llm',
  'packages/core/tools',
  'packages/core/webhook',
];
const PARTS = ['services/api', 'services/worker', 'services/migrate'];
const OUTSIDE = ['packages/client', 'packages/cli'];
const PRODUCT = [...CORE, 'services', ...PARTS, 'services/standalone', 'simulator', ...OUTSIDE];

/**
 * Every room and the rooms it may import besides itself. A folder within a room belongs to the room; the files that
 * lie in `packages/core` itself are the ground all stand on, those in `services` what all parts share.
 */
export const rooms: Record<string, string[]> = {
  [GROUND]: [],
  'packages/core/turn': [GROUND],
  'packages/core/checkpoint': HEART,
  'packages/core/queue': HEART,
  'packages/core/live': HEART,
  'packages/core/llm': HEART,
  'packages/core/outbound': HEART,
  'packages/core/tools': MIDDLE,
  'packages/core/webhook': MIDDLE,
  'packages/client': [],
  'packages/cli': ['packages/client'],
  services: [...CORE, 'simulator'],
  'services/api': [...CORE, 'services'],
  'services/worker': [...CORE, 'services'],
  'services/migrate': [...CORE, 'services'],
  'services/standalone': [...CORE, 'services', ...PARTS],
  simulator: [],
  migrations: [],
  examples: ['packages/core/tools', 'packages/client'],
  demo: [...PRODUCT, 'examples'],
  bench: [...PRODUCT, 'test'],
  chaos: [...PRODUCT, 'bench'],
  test: [...PRODUCT, 'examples', 'demo', 'bench', 'chaos'],
  '.': [],
};

/** The room a file lies in: the innermost folder that is one. A file directly in `packages` lies in none. */
export function roomOf(path: string): string | undefined {
  for (let folder = path; folder.includes('/'); ) {
    folder = folder.slice(0, folder.lastIndexOf('/'));
    if (folder in rooms) return isNewRoom(folder, path) ? undefined : folder;
  }
  return path.includes('/') ? undefined : '.';
}

/** The ground has no folders but the rooms on it: another one would be a room nobody has entered here. */
function isNewRoom(folder: string, path: string): boolean {
  return (folder === GROUND || folder === 'services') && path.slice(folder.length + 1).includes('/');
}
