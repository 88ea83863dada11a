import { Misconfigured } from '#core/failure.ts';
import { makeRedact, type Redact } from '#core/redact.ts';
import type { ToolSecrets } from '#core/tools/http/secrets.ts';
import { knownSecrets } from '../known-secrets.ts';
import type { Log } from '../log.ts';
import { makeProjects, type Projects } from '../projects.ts';
import type { Settings } from '../settings.ts';
import type { AccessKey } from './access-keys.ts';
import { projectsFile, readProjects } from './read-projects.ts';

/** The projects of a process: what they answer is what was read last. */
export type LiveProjects = {
  projects: Projects;
  /** The keys that open projects; none where the operator has set none. */
  accessKeys(): AccessKey[];
  /** Makes every secret and every key unreadable, also those that a reload has taken away. */
  redact: Redact;
  /** Reads the file of PAWL_PROJECTS again; one that cannot work is logged, and all stays as it was. */
  reloadProjects(log: Log): void;
};

/** Reads the projects and their keys from the settings. A setting that cannot work is a `Misconfigured`. */
export function openLiveProjects(settings: Settings, toolSecrets: ToolSecrets): LiveProjects {
  const keysSeen = new Set<string>();
  const take = () => {
    const read = readProjects(settings, toolSecrets);
    if (keysSeen.size > 0 && read.keys.length === 0) throw new Misconfigured(NO_KEY_LEFT);
    for (const { key } of read.keys) keysSeen.add(key);
    const redact = makeRedact(knownSecrets(settings, toolSecrets, [...keysSeen]));
    return { projects: makeProjects(read.projects), keys: read.keys, redact };
  };
  let now = take();
  return {
    projects: { configured: () => now.projects.configured(), find: (name) => now.projects.find(name) },
    accessKeys: () => now.keys,
    redact: (text) => now.redact(text),
    reloadProjects: (log) => {
      const file = projectsFile(settings.PAWL_PROJECTS);
      if (file === null) {
        log.warn({ event: 'projects.not_reloaded' }, NO_FILE);
        return;
      }
      try {
        now = take();
        const [projects, keys] = [now.projects.configured().length, now.keys.length];
        log.info({ event: 'projects.reloaded', projects, keys }, `projects were read again from ${file}`);
      } catch (error) {
        if (!(error instanceof Misconfigured)) throw error;
        log.error({ event: 'projects.not_reloaded' }, `${error.message} The projects stay as they were.`);
      }
    },
  };
}

const NO_KEY_LEFT =
  'PAWL_PROJECTS: no key is left, which would open the API to all. Give one, or start anew without keys.';

const NO_FILE =
  'SIGHUP: PAWL_PROJECTS names no file, so there is nothing to read again. Set it to @ and a path, or start anew.';
