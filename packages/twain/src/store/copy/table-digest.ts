// The checksum of a table's rows, over values that are the same on both databases: so the two ends of a copy can be compared.

import { createHash } from 'node:crypto'
import type { RowBatch } from './row-batch.ts'

export class TableDigest {
  rows = 0
  readonly #hash = createHash('sha256')

  add(batch: RowBatch): void {
    let lines = ''
    for (const row of batch) lines += `${JSON.stringify(row)}\n`
    this.#hash.update(lines)
    this.rows += batch.length
  }

  /** Ends the digest. */
  hash(): string {
    return this.#hash.digest('hex')
  }
}
