import { loadBlobs } from '#core/checkpoint/blobs.ts';
import type { Db } from '#core/checkpoint/tables.ts';
import type { Hosted } from '#core/turn/hosted/hosted.ts';
import { readBlobAddress } from '#core/turn/parts/blob-address.ts';
import type { Round, Turn } from '#core/turn/turn.ts';

/**
 * The maximum bytes of images in an answer. OpenAI's clients read an image as base64. A round with images beyond the
 * maximum shows no image: callers find each image by its path in the turn.
 */
const MOST_BYTES = 16 * 1024 * 1024;

/** The characters of the same images in base64. */
export const MOST_IMAGE_LENGTH = Math.ceil(MOST_BYTES / 3) * 4;

/** The rounds with the data of their images, and the bytes of the data. A round in memory is filled once. */
const filled = new WeakMap<Round, { round: Round; bytes: number }>();

const filling = new WeakMap<Turn, Promise<Turn>>();

/**
 * Returns a turn with the data of the images that its model made. The images of earlier rounds count first. All streams
 * of a turn share a running read.
 */
export function fillImages(db: Db, turn: Turn): Promise<Turn> {
  const running = filling.get(turn);
  if (running) return running;
  const filledLater = fillRounds(db, turn).finally(() => filling.delete(turn));
  filling.set(turn, filledLater);
  return filledLater;
}

async function fillRounds(db: Db, turn: Turn): Promise<Turn> {
  let left = MOST_BYTES;
  for (const round of turn.rounds) {
    if (lacksImages(round)) filled.set(round, await loadImages(db, { project: turn.project, round, most: left }));
    left -= filled.get(round)?.bytes ?? 0;
  }
  return filledTurn(turn) ?? turn;
}

/** Returns a turn with the data of its images, if `fillImages` has loaded all images. */
export function filledTurn(turn: Turn): Turn | undefined {
  if (turn.rounds.every(({ hosted }) => hashesOf(hosted).length === 0)) return turn;
  const rounds = turn.rounds.map((round) => (lacksImages(round) ? undefined : (filled.get(round)?.round ?? round)));
  return rounds.every((round) => round !== undefined) ? { ...turn, rounds } : undefined;
}

async function loadImages(db: Db, { project, round, most }: { project: string; round: Round; most: number }) {
  const hashes = [...new Set(hashesOf(round.hosted))];
  const blobs = await loadBlobs(db, project, { hashes, most });
  const loaded = blobs.flatMap(({ sha256, bytes }) => (bytes ? [{ sha256, bytes }] : []));
  const data = new Map(loaded.map(({ sha256, bytes }) => [sha256, bytes.toString('base64')]));
  return { round: withData(round, data), bytes: loaded.reduce((sum, { bytes }) => sum + bytes.length, 0) };
}

function lacksImages(round: Round): boolean {
  return !filled.has(round) && hashesOf(round.hosted).length > 0;
}

function hashesOf(hosted: Hosted | null): string[] {
  return hosted?.images.flatMap(({ url }) => readBlobAddress(url)?.sha256 ?? []) ?? [];
}

function withData(round: Round, data: ReadonlyMap<string, string>): Round {
  if (!round.hosted) return round;
  const images = round.hosted.images.map((image) => {
    const blob = readBlobAddress(image.url);
    const base64 = blob && data.get(blob.sha256);
    return base64 ? { ...image, url: `data:${blob.mediaType};base64,${base64}` } : image;
  });
  return { ...round, hosted: { ...round.hosted, images } };
}
