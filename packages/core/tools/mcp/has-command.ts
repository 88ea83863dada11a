import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether a command of that name can be started: a path as it is, a bare name looked up as a shell would. */
export function hasCommand(command: string, path = process.env.PATH ?? ''): boolean {
  // There a name stands for files with several endings: only starting it tells.
  if (process.platform === 'win32') return true;
  if (command.includes('/')) return canStart(command);
  return path.split(delimiter).some((folder) => canStart(join(folder, command)));
}

function canStart(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
