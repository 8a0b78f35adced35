// Where a test stores its rows: the folder that it passes, or with TWAIN_TEST_STORE=postgres its own database. `npm test` runs
// the suites that are independent of the database once on each (`scripts/test.ts`). All modules import it by `#test-place`.

import { makeTestDatabase } from './postgres/test-database.fixture.ts'

export type StoreName = 'sqlite' | 'postgres'

export const testedStore: StoreName = process.env.TWAIN_TEST_STORE === 'postgres' ? 'postgres' : 'sqlite'

export interface TestPlace {
  /** Options that open a store or a service on it. */
  place: { data: string; database: string | null; poolSize: number }
  /** Flags of the command line for it. */
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
