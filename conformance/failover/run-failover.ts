// `npm run failover`: two Twain nodes on a real cluster (PostgreSQL under Patroni, etcd, HAProxy), with writers, event streams and a
// webhook, through every kind of failover, with asynchronous and with synchronous replication. It prints what each fault cost, and
// fails if a promise of docs/operations/postgresql.md does not hold. `npm run failover -- synchronous frozen` runs some of it.

import { rmSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allFaults } from './faults.ts'
import { unpackPrograms } from './packages.ts'
import { runOnCluster } from './run-on-cluster.ts'

const words = process.argv.slice(2)
const modes = ['asynchronous', 'synchronous'].filter((mode) => !words.some(isMode) || words.includes(mode))
const named = words.filter((word) => !isMode(word))
const faults = allFaults.filter(({ name }) => named.length === 0 || named.some((word) => name.includes(word)))

const programs = unpackPrograms(console.log)
const folder = await mkdtemp(join(tmpdir(), 'twain-failover-nodes-'))
process.once('exit', () => rmSync(folder, { recursive: true }))
const schemaFile = join(folder, 'schema.graphql')
await writeFile(schemaFile, 'type Note @allow { id: ID!, text: String! }')
for (const mode of modes) {
  console.log(`\n${mode} replication\n`)
  await runOnCluster({ programs, schemaFile, folder, faults, isSynchronous: mode === 'synchronous' })
}

function isMode(word: string): boolean {
  return word === 'asynchronous' || word === 'synchronous'
}
