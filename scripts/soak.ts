// `npm run soak`: what Twain promises, in full figures, which takes an hour or more: a command of conformance/soak for each promise,
// one after another, on each of its stores, and a table at the end. `npm run faults` has about a tenth of each.
//
// `npm run soak -- kills webhooks` runs these two, `npm run soak -- kills=500 rolling-restarts=haproxy,SIGKILL,30` gives each its
// arguments; the first lines of each command say which it takes.

import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { startPostgres } from './start-postgres.ts'
import { readStores } from './test-files.ts'

const folder = join(import.meta.dirname, '../conformance/soak')

const promises: Record<string, string> = {
  'expensive-documents': 'no GraphQL document blocks the server for 100 ms',
  'document-costs': 'no GraphQL document passes the limits of depth and cost',
  'different-requests': 'caches stay small, however many different requests come',
  kills: 'acknowledged writes survive the end of the process',
  retries: 'a write with an idempotency key is made once',
  'unread-pages': 'clients that read nothing end no server with a small heap, and hold up nobody for half a second',
  'lost-updates': 'of clients that write the same version of a row, one wins',
  'hot-row': '64 writers of one row lose no throughput to row locks',
  outages: 'a database that goes away and comes back loses nothing',
  backlog: 'the sequencer catches up with a backlog at 15,000 changes a second',
  'late-commits': 'the change log loses nothing, and keeps the order of each row',
  disconnects: 'a client resumes at any cursor: nothing is missing, nothing comes twice',
  webhooks: 'webhooks arrive at least once, signed, in the order of each row',
  jobs: 'background jobs run at least once, and no effect is lost or made twice',
  'hung-receiver': 'a webhook receiver that hangs slows the others by two times at most',
  'additive-changes': 'a schema change that adds something changes no answer',
  versions: 'nodes with older and newer schemas over one database lose nothing and answer rightly',
  'copy-million-rows': 'a million rows are copied between the stores in three minutes and 200 MB',
  'migrate-million-rows': 'a million rows are migrated under load, and no request fails',
  'rolling-versions': 'nodes behind a proxy are rolled to another schema and back, and no request fails',
  'rolling-restarts': 'nodes behind a proxy are restarted one by one, and no request fails',
}

const commands = globSync('*.ts', { cwd: folder }).map((file) => basename(file, '.ts'))
const names = Object.keys(promises)
if (commands.toSorted().join() !== names.toSorted().join())
  throw new Error(`scripts/soak.ts lists ${names.join(', ')}; conformance/soak has ${commands.join(', ')}.`)

const named = process.argv.slice(2).map((word) => {
  const [name = '', args = ''] = word.split('=')
  return { name, args: args.split(',').filter(Boolean) }
})
const unknown = named.filter(({ name }) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.map(({ name }) => name).join(', ')}. Known: ${names.join(', ')}.`)
  process.exit(2)
}

const postgres = await startPostgres()
const chosen = named.length > 0 ? named : names.map((name) => ({ name, args: [] }))
const outcomes = chosen.flatMap(({ name, args }) => {
  const file = join(folder, `${name}.ts`)
  const stores = readStores(readFileSync(file, 'utf8'), 'stores') ?? []
  return stores.map((store) => {
    const title = stores.length > 1 ? `${name} on ${store}` : name
    console.log(`\n▸ ${title}: ${promises[name]}\n`)
    const began = performance.now()
    const { status } = spawnSync(process.execPath, [file, ...args], {
      env: { ...process.env, TWAIN_TEST_POSTGRES: postgres.address, TWAIN_TEST_STORE: store },
      stdio: 'inherit',
    })
    return {
      title,
      promise: promises[name],
      passed: status === 0,
      seconds: Math.round((performance.now() - began) / 1000),
    }
  })
})
await postgres.stop()

console.log()
for (const { title, promise, passed, seconds } of outcomes)
  console.log(`${passed ? '✔' : '✖'} ${title.padEnd(28)} ${promise} (${seconds} s)`)
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1
