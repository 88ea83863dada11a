/** Returns the address of a part's data until its `file_id` is resolved. No row has it, and no request may send it. */
export function fileAddress(id: string): string {
  return `file:${id}`;
}

/** Reads the id of a file from a part's address, or returns null for any other address. */
export function readFileAddress(address: string): string | null {
  return address.startsWith('file:') ? address.slice('file:'.length) : null;
}
