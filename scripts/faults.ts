// `npm run faults`: what reliability promises, in full figures: each promise by the command that shows it, one after another,
// and a table at the end. `npm run faults -- changes webhooks` runs those. The suite has a tenth of each.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const conformance = join(import.meta.dirname, '../conformance')

const promises: Record<string, string> = {
  load: 'no document holds the server for 100 ms',
  kills: 'acknowledged writes survive the end of the process',
  retries: 'a write with a key is made once; one winner of those who write at once',
  outages: 'a database that goes and comes again loses nothing',
  changes: 'the change log loses nothing, and keeps the order of each row',
  disconnects: 'a cursor resumes anywhere: nothing missing, nothing twice',
  webhooks: 'webhooks arrive at least once, signed, in the order of each row',
  hung: 'a receiver that hangs slows the others by two times at most',
}

const { scripts } = JSON.parse(readFileSync(join(conformance, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const words = process.argv.slice(2)
const unknown = words.filter((word) => !Object.hasOwn(promises, word))
if (unknown.length > 0) {
  console.error(`There is no ${unknown.join(', ')}; there is ${Object.keys(promises).join(', ')}.`)
  process.exit(2)
}

const outcomes = Object.entries(promises)
  .filter(([name]) => words.length === 0 || words.includes(name))
  .map(([name, promise]) => {
    console.log(`\n▸ ${name}: ${promise}\n`)
    const began = performance.now()
    const [, ...args] = scripts[name]!.split(' ')
    const { status } = spawnSync(process.execPath, args, { cwd: conformance, stdio: 'inherit' })
    return { name, promise, held: status === 0, seconds: Math.round((performance.now() - began) / 1000) }
  })

console.log()
for (const { name, promise, held, seconds } of outcomes) {
  console.log(`${held ? '✓' : '✗'} ${name.padEnd(12)} ${promise} (${seconds} s)`)
}
process.exitCode = outcomes.every(({ held }) => held) ? 0 : 1
