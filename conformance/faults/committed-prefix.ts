// A backup or a copy that was made under load is a committed prefix: it has the first n writes of each writer, without a gap, and the
// change log has exactly these rows.

import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'

/** Returns the number of rows. `acknowledged` and `sent` are the numbers of writes of each writer that must and may be in it. */
export function checkPrefix(file: string, acknowledged: readonly number[], sent: readonly number[]): number {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    const rows = database.prepare('SELECT writer, count(*) AS n, max(number) AS last FROM Entry GROUP BY writer').all()
    for (const [writer, at] of acknowledged.entries()) {
      const { n = 0, last = -1 } = rows.find((row) => row.writer === writer) ?? {}
      assert.equal(Number(n), Number(last) + 1, `writer ${writer} has a gap`)
      assert.ok(Number(n) >= at, `${at} writes of writer ${writer} were acknowledged, and ${n} are there`)
      assert.ok(Number(n) <= sent[writer]!, `writer ${writer} asked for ${sent[writer]}, and ${n} are there`)
    }
    const odd = database.prepare(`
      SELECT count(*) AS n FROM Entry FULL JOIN twain_change ON twain_change.id = Entry.id AND kind = 'created'
      WHERE Entry.id IS NULL OR twain_change.id IS NULL`)
    assert.equal(odd.get()?.n, 0, 'rows and change log differ')
    return Number(database.prepare('SELECT count(*) AS n FROM Entry').get()?.n)
  } finally {
    database.close()
  }
}
