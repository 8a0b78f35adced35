// `npm run soak -- versions=500,7`: versions/sequences.test.ts with 500 sequences from seed 7 on; 2,000 unless you name another number,
// drawn anew each time. A failure ends it: it looks for the shortest sequence that fails, for a minute or as many seconds as a third
// argument says, and prints it with its seed. `versions=1,SEED` repeats it.
// stores: sqlite, postgres

import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { failureText, runSequences, stepsText } from '../versions/sequences/run-sequences.ts'

const [count = '2000', first = String(Date.now() % 1_000_000), shrinkSeconds = '60'] = process.argv.slice(2)
const portion = 5
let failed = 0
let sequences = 0

console.log(`${count} sequences from seed ${first} on`)
for (let at = 0; at < Number(count) && failed === 0; at += portion) {
  const length = Math.min(portion, Number(count) - at)
  const seeds = Array.from({ length }, (_, index) => Number(first) + at + index)
  const outcome = await runSequences({ store: testedStore, seeds, shrinkMs: Number(shrinkSeconds) * 1000 })
  sequences += outcome.sequences
  failed = outcome.failures.length
  for (const failure of outcome.failures) console.log(`\n${failureText(failure, testedStore)}\n`)
  console.log(`${sequences} sequences, ${failed} failed: ${stepsText(outcome)}`)
}
process.exitCode = failed === 0 ? 0 : 1
