// The schemas that a run of the rules suite tries: all with all samples, else a tenth of them on each store, never the same on both.
// The seed decides which, so that TWAIN_PROPERTY_SEED=random tries others, and a number repeats a run.

import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { samples } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { ruleSchemas } from './rule-schemas.ts'

const shares = 10
const ofStore = testedStore === 'postgres' ? 0 : shares / 2

export const triedSchemas = ruleSchemas.filter((_, index) =>
  samples((index + Math.abs(propertySeed)) % shares === ofStore, true),
)

/** In the title of each test, which a failure prints. */
export const seedOfTry = `seed ${propertySeed}`
