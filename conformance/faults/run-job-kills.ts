// Background jobs under SIGKILL: clients create tasks, the hook of a task enqueues its job under a key, and servers are killed at random
// moments and started again: the only one on SQLite, one of two on PostgreSQL.
//
// 1. Every task that is stored has its effect: none is lost, also if the answer to its client was.
// 2. Every effect is there once, although the jobs of killed servers run again. Each job looks for its mark in a transaction.
// 3. No two jobs of a key run at a time: no run begins before the one before it has ended or lost its server.
// 4. A task that was refused has neither a job nor an effect.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ServerProcess } from '../harness/server-process.ts'

const sdl = `
type Task @allow { id: ID! number: Int! }
type Run @allow(to: [READ]) { id: ID! task: String! ended: Boolean! @default(value: false) }
type Mark @allow(to: [READ]) { id: ID! }
type Effect @allow(to: [READ]) { id: ID! task: String! }
`

/** Each job notes its run, works for a moment, and has its effect once. */
const code = `
import { setTimeout as pause } from 'node:timers/promises'
export default {
  limits: { page: 1_000_000, cost: 0 },
  after: {
    async Task({ kind, id, row }, { enqueue }) {
      if (kind !== 'created') return
      await enqueue('work', { task: id }, { key: id })
      await enqueue('work', { task: id }, { key: id })
      if (row.number % 50 === 49) throw Object.assign(new Error('refused'), { code: 'CONFLICT' })
    },
  },
  jobs: {
    work: {
      concurrency: 20,
      async run({ task }, { system, transaction }) {
        const { id } = await system.write.Run.create({ task })
        await pause(Math.random() * 10)
        await transaction(async (tx) => {
          if ((await tx.system.read.Mark.get(task)) === null) {
            await tx.system.write.Mark.replace(task, {})
            await tx.system.write.Effect.create({ task })
          }
          await tx.system.write.Run.update(id, { ended: true })
        })
      },
    },
  },
}
`

const writers = 8
const leaseSeconds = 2
/** Seconds for a start: on a busy machine it gets a twentieth of a core. */
const patience = 120

export interface JobKillReport {
  tasks: number
  refused: number
  /** Jobs that ran again because their server was killed. */
  again: number
}

/** `database` is the address of a PostgreSQL database; null: SQLite. */
export async function runJobKills(
  count: number,
  kills: number,
  database: string | null,
  print = (_progress: string) => {},
): Promise<JobKillReport> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-job-kills-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, sdl)
  await writeFile(join(folder, 'twain.config.ts'), code)
  await writeFile(join(folder, 'package.json'), '{"type": "module"}')
  const flags = ['--queue-lease-seconds', String(leaseSeconds), '--queue-concurrency', '20', '--log-level', 'warn']
  const more = database === null ? flags : [...flags, '--database', database]
  const start = () => ServerProcess.start(schemaFile, join(folder, 'data'), more, undefined, {}, patience)
  const servers: ServerProcess[] = []
  const clients = new Clients(count, servers)
  try {
    for (let node = 0; node < (database === null ? 1 : 2); node++) servers.push(await start())
    const creating = clients.create()
    for (let kill = 1; kill <= kills; kill++) {
      await Promise.race([clients.reached(Math.floor((count * kill) / (kills + 1))), creating])
      const killed = servers[kill % servers.length]!
      await pause(Math.random() * 200)
      await killed.kill()
      await pause(Math.random() * 200)
      await killed.startAgain(patience)
      print(`kill ${kill}: ${clients.acknowledged.size} tasks acknowledged`)
    }
    await creating
    return await check(servers[0]!, clients, print)
  } finally {
    for (const server of servers) await server.stop()
    await rm(folder, { recursive: true })
  }
}

/** They create tasks, and know which of them were acknowledged. */
class Clients {
  readonly acknowledged = new Set<string>()
  refused = 0
  readonly #count: number
  readonly #servers: readonly ServerProcess[]
  #next = 0
  #answered = 0

  constructor(count: number, servers: readonly ServerProcess[]) {
    this.#count = count
    this.#servers = servers
  }

  async create(): Promise<void> {
    await Promise.all(Array.from({ length: writers }, (_, writer) => this.#write(writer)))
  }

  async reached(count: number): Promise<void> {
    while (this.#answered < count) await pause(5)
  }

  async #write(writer: number): Promise<void> {
    while (this.#answered < this.#count) {
      const number = this.#next++
      const { address } = this.#servers[(writer + number) % this.#servers.length]!
      const reply = await this.#post(address, number)
      if (reply?.status === 201) this.acknowledged.add(((await reply.json()) as { id: string }).id)
      else if (reply?.status === 409) this.refused++
      else {
        await pause(50) // its server was killed; whether the task is stored is not known
        continue
      }
      this.#answered++
    }
  }

  async #post(address: string, number: number): Promise<Response | null> {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${address}/tasks`, { method: 'POST', headers, body: JSON.stringify({ number }) }).catch(
      () => null,
    )
    if (reply !== null && ![201, 409, 503].includes(reply.status))
      throw new Error(`${reply.status} ${await reply.text()}`)
    return reply
  }
}

async function check(
  server: ServerProcess,
  clients: Clients,
  print: (progress: string) => void,
): Promise<JobKillReport> {
  const read = async <Row>(path: string): Promise<Row[]> => {
    const reply = await fetch(`${server.address}${path}`)
    const rows = await reply.json()
    assert.equal(reply.status, 200, JSON.stringify(rows))
    return rows as Row[]
  }
  const tasks = new Set((await read<{ id: string }>('/tasks?fields=id&limit=1000000')).map(({ id }) => id))
  for (const id of clients.acknowledged) assert.ok(tasks.has(id), `the acknowledged task ${id} is lost`)
  const effects = async () =>
    (await read<{ task: string }>('/effects?fields=task&limit=1000000')).map(({ task }) => task)
  // However slow the machine is, as long as effects come.
  for (let [had, since] = [-1, performance.now()]; ; ) {
    const has = (await effects()).length
    if (has >= tasks.size) break
    if (has > had) [had, since] = [has, performance.now()]
    if (performance.now() - since > 60_000)
      assert.fail(`${tasks.size - has} of ${tasks.size} effects are lost:\n${server.output.slice(-2000)}`)
    print(`${has} of ${tasks.size} effects`)
    await pause(1000)
  }
  await pause(leaseSeconds * 1000) // for jobs that would run again
  const found = await effects()
  assert.deepEqual(found.toSorted(), [...tasks].toSorted(), 'each effect is there once, and none of a refused task')
  const runs = await read<{ task: string }>('/runs?fields=task&limit=1000000')
  return { tasks: tasks.size, refused: clients.refused, again: runs.length - tasks.size }
}
