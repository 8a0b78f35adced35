// Where tests put what they delete at their end: databases that nobody must find again after a power cut.

import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

/** In memory, if the machine has room for it there. A container often gives it 64 MB. */
const neededBytes = 4 * 2 ** 30

/** A file system in memory, or else the usual folder. PostgreSQL makes a hundred files for each store of a test: on a disk that takes
 *  it three times the CPU time. */
export function memoryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize >= neededBytes ? '/dev/shm' : tmpdir()
  } catch {
    return tmpdir() // not Linux
  }
}
