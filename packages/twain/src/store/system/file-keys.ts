// How the bytes of files are called and cut, wherever they lie: `files` keeps them so, and `twain copy` takes them along.

import { join } from 'node:path'

/** Bytes of a chunk in a database; the last one of a file may have fewer. */
export const chunkBytes: number = 256 * 1024

/** What stands in every key, alone or with more: the SHA-256 of the bytes. */
export function hashIn(key: string): string {
  return /[0-9a-f]{64}/.exec(key)?.[0] ?? key
}

/** Whether it is one of a data folder (a hash) or of a database (with more behind it), and not of other storage. `twain copy`
 *  leaves keys as they are: each place may have both. */
export function isOwnKey(key: string): boolean {
  return /^[0-9a-f]{64}(\.[0-9a-f-]{36})?$/.test(key)
}

/** Below the folder of files. */
export function pathOfKey(folder: string, key: string): string {
  return join(folder, key.slice(0, 2), key)
}
