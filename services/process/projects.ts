import { type Project, plainProject } from '#core/project.ts';

/** The projects of an installation as they are configured now. A reload changes the results of these functions. */
export type Projects = {
  /** Returns the configured projects. A project without keys may still have turns. */
  configured(): Project[];
  /** Returns any project. An unconfigured project has no bounds. */
  find(name: string): Project;
};

/** Makes the given projects, with defaults for all others. */
export function makeProjects(given: Project[]): Projects {
  const byName = new Map(given.map((project) => [project.name, project]));
  return { configured: () => [...byName.values()], find: (name) => byName.get(name) ?? plainProject(name) };
}
