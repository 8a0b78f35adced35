// Fills the data of a Twain server with `twain import`, which keeps the ids of the rows.

import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sourceCommand } from './twain-process.ts'

const run = promisify(execFile)

/** `tables` has the rows by the name of their type, those that others refer to first. Null as database: SQLite in `data`. */
export async function importRows(
  data: string,
  schema: string,
  database: string | null,
  tables: Record<string, readonly object[]>,
  command = sourceCommand,
): Promise<void> {
  const place = database === null ? ['--data', data] : ['--data', data, '--database', database]
  await mkdir(data, { recursive: true })
  for (const [type, rows] of Object.entries(tables)) {
    const file = join(data, `${type}.ndjson`)
    await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    await run(process.execPath, [command, 'import', file, '--type', type, '--keep-ids', '--schema', schema, ...place])
  }
}
