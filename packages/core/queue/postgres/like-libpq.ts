/** Returns a database URL that node-postgres reads as libpq does: else `require` would mean `verify-full`. */
export function likeLibpq(url: string): string {
  const read = URL.parse(url);
  if (!read?.searchParams.has('sslmode')) return url;
  read.searchParams.set('uselibpqcompat', 'true');
  return read.href;
}
