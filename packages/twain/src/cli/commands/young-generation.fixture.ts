// Prints the megabytes of V8's young generation: after work, after V8 made it small, and after more work. Needs `--expose-gc`.

import { setImmediate, setTimeout } from 'node:timers/promises'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { growYoungGeneration } from './young-generation.ts'

const maxWorkMs = 20_000
/** Where its growth is turned off. */
const grownMegabytes = 32
/** The growth is turned off by a timer of 100 ms. */
const turnedOffMs = 300

setFlagsFromString('--semi-space-growth-factor=1') // as `bin/twain.js`
growYoungGeneration()
await work()
await setTimeout(turnedOffMs)
const before = megabytes()
globalThis.gc!({ type: 'major', execution: 'sync', flavor: 'last-resort' })
const small = megabytes()
await work()
console.log(JSON.stringify({ before, small, after: megabytes() }))

/** Makes objects of which the last are in use, as a server does, until the young generation has grown. */
async function work(): Promise<void> {
  const used: object[] = []
  const until = performance.now() + maxWorkMs
  while (megabytes() < grownMegabytes && performance.now() < until) {
    for (let index = 0; index < 20_000; index++) used[index] = { index, list: [index] }
    await setImmediate()
  }
}

function megabytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size / 1_048_576
}
