import { styleText } from 'node:util';

/** A worker's name, in a colour of its own where the terminal has colours. */
export function paintWorker(name: string): string {
  return styleText(name.endsWith('1') ? 'cyan' : 'magenta', name);
}
