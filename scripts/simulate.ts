// `npm run simulate`: services on SQLite live through virtual years (`conformance/simulate/life.ts`). A failure prints its seed.
//
// `npm run simulate -- years=100` ends after so many virtual years (100 unless you say so), `minutes=3` after so many real minutes: the
// life that goes on then comes to its end. `seed=7` begins with another life, `lives=1` ends after it: `seed=7 lives=1` repeats one life.
// `days=60` makes lives shorter than a year.

import { buildForTests } from './build/build-for-tests.ts'

process.env.TWAIN_TEST_MODULES ??= await buildForTests()
const { runLife, year } = await import('../conformance/simulate/life.ts')

const given = Object.fromEntries(process.argv.slice(2).map((word) => word.split('=') as [string, string]))
const { years = given.minutes === undefined ? '100' : 'Infinity', minutes = 'Infinity', lives = 'Infinity' } = given
const first = Number(given.seed ?? 1)
const lifeMs = Number(given.days ?? 365) * 86_400_000

const began = performance.now()
let lived = 0
let seed = first
const isTimeUp = () => performance.now() - began > Number(minutes) * 60_000
const isOver = () => lived >= Number(years) * year || seed - first >= Number(lives) || isTimeUp()

console.log(`lives of ${lifeMs / 86_400_000} days, from seed ${first}`)
while (!isOver()) {
  try {
    const { virtualMs, jumps, kills, requests } = await runLife(seed, lifeMs, isTimeUp)
    lived += virtualMs
    console.log(
      `seed ${seed}: ${inYears(virtualMs)} years, ${requests} requests, ${jumps} jumps of the clock, ${kills} kills`,
    )
    seed++
  } catch (error) {
    console.error((error as Error).message)
    console.error(
      `\nAgain: npm run simulate -- seed=${seed} lives=1${given.days === undefined ? '' : ` days=${given.days}`}`,
    )
    process.exit(1)
  }
}
const seconds = Math.round((performance.now() - began) / 1000)
console.log(
  `${seed - first} services lived ${inYears(lived)} virtual years in ${seconds} s. Nothing was lost, nothing stayed too long.`,
)

function inYears(milliseconds: number): string {
  return (milliseconds / year).toFixed(2)
}
