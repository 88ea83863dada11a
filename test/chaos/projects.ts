export const LOAD = { name: 'load', key: 'key-of-the-load' };

/** The project that floods, and its model. */
export const FLOOD = { name: 'flood', key: 'key-of-the-flood', max_active_turns: 8, model: 'flood' };

/** The project of the clients that speak into the same conversations, and its model. */
export const TALK = { name: 'talk', key: 'key-of-the-talk', model: 'talk' };

/** The project of the clients that fork and rerun turns, and its model. */
export const FORKS = { name: 'forks', key: 'key-of-the-forks', model: 'forks' };

/** The project of the clients that change an agent and start its turns, and its model. */
export const AGENTS = { name: 'agents', key: 'key-of-the-agents', model: 'agents' };

/** PAWL_PROJECTS of a run. */
export const chaosProjects = JSON.stringify({
  [LOAD.name]: { keys: [LOAD.key] },
  [TALK.name]: { keys: [TALK.key] },
  [FORKS.name]: { keys: [FORKS.key] },
  [AGENTS.name]: { keys: [AGENTS.key] },
  [FLOOD.name]: { keys: [FLOOD.key], max_active_turns: FLOOD.max_active_turns },
});
