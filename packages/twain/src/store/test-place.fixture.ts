// Where a test keeps its rows: the folder that it gives, or with TWAIN_TEST_STORE=postgres a database of its own. `npm test` runs
// the suites that know nothing of databases once on each (`scripts/test.ts`). Tests of all rooms enter by `#test-place`.

import { makeTestDatabase } from './postgres/test-database.fixture.ts'

export type StoreName = 'sqlite' | 'postgres'

export const testedStore: StoreName = process.env.TWAIN_TEST_STORE === 'postgres' ? 'postgres' : 'sqlite'

export interface TestPlace {
  /** As a store and a service are opened with it. */
  place: { data: string; database: string | null; poolSize: number }
  /** As the command takes it. */
  flags: string[]
  drop(): Promise<void>
}

export async function makeTestPlace(data: string, on: StoreName = testedStore): Promise<TestPlace> {
  const database = on === 'postgres' ? await makeTestDatabase() : null
  return {
    place: { data, database: database?.address ?? null, poolSize: 4 },
    flags: database === null ? ['--data', data] : ['--database', database.address],
    drop: async () => database?.drop(),
  }
}
