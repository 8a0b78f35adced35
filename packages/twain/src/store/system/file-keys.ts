// The keys and chunks of file bytes, in every storage. The module `files` and `twain copy` use them.

import { join } from 'node:path'

/** The size of a chunk in a database; the last one of a file may be smaller. */
export const chunkBytes: number = 256 * 1024

/** The SHA-256 of the bytes, which every key contains. */
export function hashIn(key: string): string {
  return /[0-9a-f]{64}/.exec(key)?.[0] ?? key
}

/** Whether it is the key of a data folder (a hash) or of a database (a hash and more), not of external storage. `twain copy`
 *  does not change keys: each database may have both kinds. */
export function isOwnKey(key: string): boolean {
  return /^[0-9a-f]{64}(\.[0-9a-f-]{36})?$/.test(key)
}

/** The path below the folder of files. */
export function pathOfKey(folder: string, key: string): string {
  return join(folder, key.slice(0, 2), key)
}
