// The storage of a test's files and rows: a folder, or a database of its own (`TWAIN_TEST_STORE`).

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'

export interface TestStorage {
  /** A folder for other needs of a test. */
  folder: string
  data: string
  database: string | null
  /** The number of files in it, complete ones and others. */
  stored(): Promise<number>
  drop(): Promise<void>
}

export async function makeTestStorage(): Promise<TestStorage> {
  const folder = mkdtempSync(join(tmpdir(), 'twain-files-'))
  const data = join(folder, 'data')
  const database = testedStore === 'postgres' ? await makeTestDatabase() : null
  const onDisk = () =>
    readdirSync(join(data, 'files'), { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).length
  return {
    folder,
    data,
    database: database?.address ?? null,
    async stored() {
      if (database === null) return onDisk()
      const [row] = await database.raw.query('SELECT count(DISTINCT key) AS count FROM twain_chunk')
      return row!.count as number
    },
    async drop() {
      await database?.drop()
      rmSync(folder, { recursive: true })
    },
  }
}
