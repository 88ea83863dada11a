import { certainTypeOf, contradictsMediaType, isMediaType } from './media-type.ts';
import { typeOfEnding } from './type-of-ending.ts';

const ANY = 'application/octet-stream';

/**
 * The declared type, else that of the name, else that of the bytes. A type that the bytes contradict never counts.
 */
export function typeOfFile(file: { declared: string; filename: string; bytes: Buffer }): string {
  const { declared, filename, bytes } = file;
  const said = declared.split(';')[0]?.trim().toLowerCase() ?? '';
  const known = [said === 'image/jpg' ? 'image/jpeg' : said, typeOfEnding(filename), certainTypeOf(bytes)];
  const fits = (type: string | null) => type !== null && type !== ANY && isMediaType(type);
  return known.find((type) => fits(type) && !contradictsMediaType(type ?? '', bytes)) ?? ANY;
}
