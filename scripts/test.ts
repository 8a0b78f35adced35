// `npm test`: every test of the repository with node:test. `npm test -- rest seed` runs those with a word in their path.
// They share one PostgreSQL server, that of TWAIN_TEST_POSTGRES or one of their own. The suites that know nothing of databases
// run once on each store; what is about a store says itself on which it runs.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'

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
  /^conformance[\\/](schemas|twins|property|hostile|attacks|fan-out|computed|own-operations|hooks|reactions|states|once|transactions|examples|rest-docs|rules-docs|rules-plans)\.test\.ts$/,
  // The mutants of the rules try the suite, not a store; several nodes are PostgreSQL's affair.
  /^conformance[\\/]rules[\\/](?!mutants)[\w-]+\.test\.ts$/,
  /^conformance[\\/]files[\\/](?!nodes)[\w-]+\.test\.ts$/,
  /^conformance[\\/](rest|events)[\\/][\w-]+\.test\.ts$/,
  /^conformance[\\/]graphql[\\/](executor|language|own-code)\.test\.ts$/,
  /[\\/]src[\\/]auth[\\/](foreign-tokens|own-tokens|sessions|viewers)\.test\.ts$/,
  /[\\/]src[\\/](main[\\/](identity|make-account)|cli[\\/]token)\.test\.ts$/,
]

if (files.length === 0) {
  console.error(`No test has ${words.join(' or ')} in its path.`)
  process.exit(1)
}

// It ends when its input does, and so with this process, however that ends.
const postgres = process.env.TWAIN_TEST_POSTGRES
  ? null
  : spawn(process.execPath, [join(root, 'scripts/postgres.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
const address = postgres === null ? process.env.TWAIN_TEST_POSTGRES : String(await once(postgres.stdout, 'data')).trim()

// A file is a process of its own; compiled code is kept between them, which saves most of their start.
const env = {
  ...process.env,
  TWAIN_TEST_POSTGRES: address,
  NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
}
const concurrency = `--test-concurrency=${Math.max(2, availableParallelism())}`
// A test that hangs fails, and does not hold up the rest.
const flags = ['--test', '--test-timeout=240000', concurrency, '--disable-warning=ExperimentalWarning']
const run = (some: readonly string[], more = {}) =>
  spawnSync(process.execPath, [...flags, ...some], { cwd: root, env: { ...env, ...more }, stdio: 'inherit' }).status ??
  1
const again = files.filter((file) => onEachStore.some((path) => path.test(file)))
process.exitCode = run(files)
if (again.length > 0) {
  console.log('\n▸ on PostgreSQL\n')
  process.exitCode ||= run(again, {
    TWAIN_TEST_STORE: 'postgres',
    TWAIN_PROPERTY_RUNS: process.env.TWAIN_PROPERTY_RUNS ?? '20',
  })
}
postgres?.stdin.end()
