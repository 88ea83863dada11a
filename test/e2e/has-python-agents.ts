import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Returns whether python3 has the Agents SDK (`pip install openai-agents`), which is not a package of npm. */
export function hasPythonAgents(): Promise<boolean> {
  return promisify(execFile)('python3', ['-c', 'import agents']).then(
    () => true,
    () => false,
  );
}
