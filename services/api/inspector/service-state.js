import { urlOf } from './api.js';

const AGAIN_MS = 10_000;

/** Says at the top of the page what /readyz tells of the service as a whole, as long as the page is looked at. */
export function watchServiceState() {
  const place = document.getElementById('state');
  if (!place) return;
  const look = async () => {
    if (document.visibilityState !== 'visible') return;
    const told = wordsFor(await readState());
    if (place.textContent !== told) place.textContent = told;
  };
  look();
  setInterval(look, AGAIN_MS);
}

/** What /readyz answers, whatever its status; nothing where it cannot be read, which every request tells by itself. */
async function readState() {
  try {
    return await (await fetch(urlOf('readyz'))).json();
  } catch {
    return null;
  }
}

/** @param {{ queue?: unknown, workers?: unknown } | null} state what is not told is well */
function wordsFor(state) {
  const told = [
    state?.queue === 'away' && 'The queue is away: turns are kept, and go on by themselves once it is back.',
    state?.workers === 0 && 'No worker is alive: turns wait until one is started.',
  ];
  return told.filter(Boolean).join(' ');
}
