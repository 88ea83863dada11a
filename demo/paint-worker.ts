import { styleText } from 'node:util';

/** A worker's name, each in a colour of its own where there are colours. */
export function paintWorker(name = 'a worker'): string {
  return styleText(name.endsWith('1') ? 'cyan' : 'magenta', name);
}
