// Random contracts, rows and questions through both faces, against the oracle. TWAIN_PROPERTY_RUNS makes it longer,
// TWAIN_PROPERTY_SEED=random another; a failure prints the seed.
// stores: sqlite, postgres
// all samples: sqlite

import { test } from 'node:test'
import fc from 'fast-check'
import { Draw } from '../generate/draw.ts'
import { Oracle } from '../generate/oracle.ts'
import { question } from '../generate/random-queries.ts'
import { drawSketch, sketchSdl } from '../generate/random-schema.ts'
import { change, fill } from '../generate/random-writes.ts'
import { propertyRuns } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { openFaces } from '../harness/open-apis.ts'

const runs = propertyRuns(12, 30)
const questions = 12

test('both faces answer every question about any contract as the oracle does', { timeout: runs * 30_000 }, async () => {
  const options = {
    numRuns: runs,
    interruptAfterTimeLimit: runs > 30 ? runs * 5_000 : 45_000,
    endOnFailure: runs <= 30,
    seed: propertySeed,
  }
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (value) => {
      const draw = new Draw(value)
      const oracle = new Oracle(drawSketch(draw))
      const sdl = sketchSdl(oracle.sketch)
      const faces = await openFaces(sdl, { cost: 0, depth: 0 })
      try {
        await fill(draw, faces, oracle)
        await change(draw, faces, oracle)
        for (let round = 0; round < questions; round++) await question(draw, faces, oracle)
      } catch (error) {
        throw new Error(`with the contract\n${sdl}\n${error instanceof Error ? error.message : error}`, {
          cause: error,
        })
      } finally {
        await faces.close()
      }
    }),
    options,
  )
})
