import { Misconfigured } from '#core/failure.ts';
import { makeRedact, type Redact } from '#core/redact.ts';
import type { ToolSecrets } from '#core/tools/http/secrets.ts';
import { knownSecrets } from '../known-secrets.ts';
import type { Log } from '../log.ts';
import { makeProjects, type Projects } from '../projects.ts';
import type { Settings } from '../settings.ts';
import type { AccessKey } from './access-keys.ts';
import { projectsFile, readProjects } from './read-projects.ts';

/** The projects of a process, as it last read them. */
export type LiveProjects = {
  projects: Projects;
  /** Returns the keys that open projects, or none if the operator has set none. */
  accessKeys(): AccessKey[];
  /** Redacts every secret and every key, including keys that a reload has removed. */
  redact: Redact;
  /** Reads the file of PAWL_PROJECTS again. Logs an invalid file, and keeps the projects. */
  reloadProjects(log: Log): void;
};

/** Reads the projects and their keys from the settings. Throws `Misconfigured` for an invalid setting. */
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
        log.info({ event: 'projects.reloaded', projects, keys }, `projects reloaded from ${file}`);
      } catch (error) {
        if (!(error instanceof Misconfigured)) throw error;
        log.error({ event: 'projects.not_reloaded' }, `${error.message} The projects did not change.`);
      }
    },
  };
}

const NO_KEY_LEFT =
  'PAWL_PROJECTS: the file has no key, which would open the API to everyone. Give a key, or restart without keys.';

const NO_FILE =
  'SIGHUP: PAWL_PROJECTS names no file, so the projects were not reloaded. Set PAWL_PROJECTS to @ and a path, or restart.';
