// Where a test stores its rows: the folder that it passes, or with TWAIN_TEST_STORE=postgres its own database. `npm test` runs
// the suites that are independent of the database once on each (`scripts/test.ts`). All modules import it by `#test-place`.

import { makePreparedDatabase, makeTestDatabase, type TestDatabase } from './postgres/test-database.fixture.ts'

export type StoreName = 'sqlite' | 'postgres'

export const testedStore: StoreName = process.env.TWAIN_TEST_STORE === 'postgres' ? 'postgres' : 'sqlite'

export interface TestPlace {
  /** Options that open a store or a service on it. */
  place: { data: string; database: string | null; poolSize: number }
  /** Flags of the command line for it. */
  flags: string[]
  drop(): Promise<void>
}

/** With Twain's own tables, but not one of a schema. */
export async function makeTestPlace(data: string, on: StoreName = testedStore): Promise<TestPlace> {
  return placeOf(data, on === 'postgres' ? await makePreparedDatabase() : null)
}

/** Without any table, for tests about the first start and about what commands report of an empty database. */
export async function makeEmptyPlace(data: string, on: StoreName = testedStore): Promise<TestPlace> {
  return placeOf(data, on === 'postgres' ? await makeTestDatabase() : null)
}

function placeOf(data: string, database: TestDatabase | null): TestPlace {
  return {
    place: { data, database: database?.address ?? null, poolSize: 4 },
    flags: database === null ? ['--data', data] : ['--database', database.address],
    drop: async () => database?.drop(),
  }
}
