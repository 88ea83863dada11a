import { styleText } from 'node:util';

/** Returns a worker's name in its own colour, if the terminal has colours. */
export function paintWorker(name: string): string {
  return styleText(name.endsWith('1') ? 'cyan' : 'magenta', name);
}
