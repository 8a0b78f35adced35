// `npm test`: every test of the repository with node:test. `npm test -- rest seed` runs those with a word in their path.
// They share one PostgreSQL server, that of TWAIN_TEST_POSTGRES or one of their own. The suites that know nothing of databases
// run once on each store; what is about a store says itself on which it runs. The rooms with most files are one process, beside
// the others: to start one for each file takes five times as long as the tests of a file.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const words = process.argv.slice(2)

const files = globSync(['packages/**/*.test.ts', 'conformance/**/*.test.ts', 'scripts/*.test.ts'], {
  cwd: root,
  exclude: (path) => path.endsWith('node_modules'),
})
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .sort()

/** They open their store with `#test-place`; which do not, and why, is in CONTRIBUTING.md. */
const onEachStore = [
  /^conformance[\\/](rest|events|versions|idempotency|custom-code)[\\/](?!openapi|reference-page|schema-changes|breaking-changes|event-source)[\w-]+\.test\.ts$/,
  /^conformance[\\/]both-apis[\\/](?!search|cost-weights)[\w-]+\.test\.ts$/,
  /^conformance[\\/]security[\\/](attacks|invalid-requests)\.test\.ts$/,
  /^conformance[\\/]docs[\\/](examples|rest-page|rules-page)\.test\.ts$/,
  /^conformance[\\/](cli[\\/]migrate|webhooks[\\/]webhooks|faults[\\/](lost-updates|disconnects))\.test\.ts$/,
  // The mutants of the rules try the suite, not a store; several nodes are PostgreSQL's affair.
  /^conformance[\\/]rules[\\/](?!mutants)[\w-]+\.test\.ts$/,
  /^conformance[\\/]files[\\/](?!several-nodes)[\w-]+\.test\.ts$/,
  /^conformance[\\/]graphql[\\/](coercion|executor|language)\.test\.ts$/,
  /[\\/]src[\\/]auth[\\/](external-issuer|signed-tokens|sessions|tickets|viewers)\.test\.ts$/,
  /[\\/]src[\\/](main[\\/](identity|create-account)|cli[\\/]commands[\\/](token|seed))\.test\.ts$/,
]

/** Nothing in them waits, and nothing outlives its test. */
const inOneProcess = /[\\/]src[\\/](base|model|plan|rest|graphql)[\\/].*\.test\.ts$/

if (files.length === 0) {
  console.error(`No test has ${words.join(' or ')} in its path.`)
  process.exit(1)
}

const together = files.filter((file) => inOneProcess.test(file))
const apart = files.filter((file) => !inOneProcess.test(file))
const again = apart.filter((file) => onEachStore.some((path) => path.test(file)))

// It ends when its input does, and so with this process, however that ends.
const postgres = process.env.TWAIN_TEST_POSTGRES
  ? null
  : spawn(process.execPath, [join(root, 'scripts/postgres.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
const address = postgres === null ? process.env.TWAIN_TEST_POSTGRES : String(await once(postgres.stdout, 'data')).trim()

// A file is a process of its own; compiled code is kept between them, which saves most of their start.
const common = {
  ...process.env,
  TWAIN_TEST_POSTGRES: address,
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
}
// A third of them waits at any time: for a commit, a lock, a clock, a process that is killed.
const concurrency = `--test-concurrency=${availableParallelism() + 1}`
// A test that hangs fails, and does not hold up the rest; nor does what it leaves open.
const deadline = `--import=${pathToFileURL(join(import.meta.dirname, 'deadline.ts'))}`
const flags = ['--test', '--test-timeout=240000', '--disable-warning=ExperimentalWarning', deadline]

const rooms = run(together, ['--test-isolation=none'], {}, apart.length === 0 ? 'inherit' : 'pipe')
const outcomes = [await run(apart, [concurrency])]
outcomes.push(await rooms)
if (again.length > 0) {
  console.log('\n▸ on PostgreSQL\n')
  const onPostgres = {
    TWAIN_TEST_STORE: 'postgres',
    TWAIN_PROPERTY_RUNS: process.env.TWAIN_PROPERTY_RUNS ?? '12',
  }
  outcomes.push(await run(again, [concurrency], onPostgres))
}
process.exitCode = outcomes.every((isGreen) => isGreen) ? 0 : 1
postgres?.stdin.end()

/** Whether all pass. What goes on beside another is told when it has ended (`pipe`). */
async function run(some: string[], more: string[], env = {}, output: 'inherit' | 'pipe' = 'inherit'): Promise<boolean> {
  if (some.length === 0) return true
  const child = spawn(process.execPath, [...flags, ...more, ...some], {
    cwd: root,
    env: { ...common, ...env },
    stdio: ['inherit', output, 'inherit'],
  })
  let told = ''
  child.stdout?.setEncoding('utf8').on('data', (part) => (told += part))
  const [code] = await once(child, 'close')
  process.stdout.write(told)
  return code === 0
}
