// Random schemas, rows and queries through both APIs, compared with the oracle. TWAIN_PROPERTY_RUNS sets the number of schemas,
// TWAIN_PROPERTY_SEED=random draws others; a failure prints the seed.
// stores: sqlite, postgres
// all samples: sqlite

import { test } from 'node:test'
import fc from 'fast-check'
import { Draw } from '../generate/draw.ts'
import { Oracle } from '../generate/oracle.ts'
import { compareRandomQuery } from '../generate/random-queries.ts'
import { drawSchema, schemaSdl } from '../generate/random-schema.ts'
import { changeRandomRows, writeRandomRows } from '../generate/random-writes.ts'
import { propertyRuns } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { openApis } from '../harness/open-apis.ts'

const runs = propertyRuns(6, 30)
const questions = 12

test('both APIs answer every query of any schema as the oracle does', { timeout: runs * 30_000 }, async () => {
  const options = {
    numRuns: runs,
    interruptAfterTimeLimit: runs > 30 ? runs * 5_000 : 45_000,
    endOnFailure: runs <= 30,
    seed: propertySeed,
  }
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (value) => {
      const draw = new Draw(value)
      const oracle = new Oracle(drawSchema(draw))
      const sdl = schemaSdl(oracle.sketch)
      const apis = await openApis(sdl, { cost: 0, depth: 0 })
      try {
        await writeRandomRows(draw, apis, oracle)
        await changeRandomRows(draw, apis, oracle)
        for (let round = 0; round < questions; round++) await compareRandomQuery(draw, apis, oracle)
      } catch (error) {
        throw new Error(`with the schema\n${sdl}\n${error instanceof Error ? error.message : error}`, {
          cause: error,
        })
      } finally {
        await apis.close()
      }
    }),
    options,
  )
})
