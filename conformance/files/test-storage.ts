// Where the rows and bytes of a test's files are: a folder, or a database of its own (`TWAIN_TEST_STORE`).

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'

export interface TestStorage {
  /** For what else a test needs. */
  folder: string
  data: string
  database: string | null
  /** How many files there are in it, whole ones and others. */
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
      const [row] = await database.raw.unsafe('SELECT count(DISTINCT key) AS count FROM twain_chunk')
      return row!.count as number
    },
    async drop() {
      await database?.drop()
      rmSync(folder, { recursive: true })
    },
  }
}
