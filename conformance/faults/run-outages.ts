// Database outages under load: clean restarts and crashes, cut connections, slow answers, lost answers to COMMIT. Writers and readers
// go on over HTTP all the time.
//
// 1. A request is answered, or refused with 503 and `Retry-After`; none hangs beyond the time limit.
// 2. Acknowledged writes are there, and refused ones are not. Only a write whose answer says "unknown outcome" may be either.
// 3. Requests are answered again within five seconds after the database is back.
// 4. The node has no more connections than its pool allows.
// 5. The change log agrees with the rows, at positions without a gap.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { connect, type Database } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { DatabaseProxy } from '../../packages/twain/src/store/postgres/database-proxy.fixture.ts'
import { PostgresProcess } from '../harness/postgres-process.ts'
import { ServerProcess } from '../harness/server-process.ts'

const sdl = 'type Entry @allow { id: ID!, code: String! @unique, number: Int! }'

const pool = 6
/** The pool, and the connection of the sequencer. */
const maxConnections = pool + 1
const writers = 12
const readers = 4
/** Seconds: `limits.timeSeconds`, the time for the refusal, and the delay of a busy machine. */
const [limit, maxSeconds] = [2, 2 + 1 + 2]
/** Milliseconds after the database is back. */
const maxRecoveryMs = 5000

type Outage = 'restart' | 'crash' | 'cut' | 'slow' | 'lost commit answer'

export interface OutageReport {
  outages: number
  acknowledged: number
  refused: number
  unknownOutcomes: number
  read: number
  /** Milliseconds: the longest time until requests were answered again, and the longest request. */
  maxRecoveryTime: number
  maxRequestTime: number
  /** The most connections, after each outage. */
  connections: number
}

export interface OutageOptions {
  report?: (progress: string) => void
  kinds?: Outage[]
  /** A module that the node loads before it starts, with a bug that the run must find. */
  mutant?: string
}

export async function runOutages(outages: number, options: OutageOptions = {}): Promise<OutageReport> {
  const { report: print = () => {}, kinds = allOutages, mutant } = options
  const folder = await mkdtemp(join(tmpdir(), 'twain-outages-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, sdl)
  const database = await PostgresProcess.start()
  const proxy = await DatabaseProxy.open(database.address)
  const settings = [
    '--database',
    proxy.address,
    '--database-pool-size',
    String(pool),
    '--limits-time-seconds',
    String(limit),
  ]
  const server = await ServerProcess.start(
    schemaFile,
    join(folder, 'data'),
    [...settings, '--log-requests', 'false'],
    ['--limits-requests-per-minute', '0'],
    mutant === undefined ? {} : { NODE_OPTIONS: `--import ${pathToFileURL(mutant)}` },
  )
  const load = new Load(server.address)
  try {
    for (let outage = 1; outage <= outages; outage++) {
      load.begin()
      await pause(50 + Math.random() * 150)
      const kind = kinds[outage % kinds.length]!
      await causeOutage(kind, database, proxy)
      await load.answersAgain()
      await pause(50)
      await load.end()
      await checkRows(database.address, load)
      print(
        `${outage} ${kind}: ${load.acknowledged} acknowledged, ${load.refused} refused, ${load.unknownOutcomes} unknown`,
      )
    }
  } catch (error) {
    throw new Error(`${String(error)}\n${server.output.slice(-3000)}`, { cause: error })
  } finally {
    await load.end().catch(() => undefined)
    await server.stop()
    await proxy.close()
    await database.end()
    await rm(folder, { recursive: true })
  }
  assert.doesNotMatch(server.output, /request failed|response failed while it was sent/)
  const { acknowledged, refused, unknownOutcomes, read, maxRecoveryTime, maxRequestTime, connections } = load
  return { outages, acknowledged, refused, unknownOutcomes, read, maxRecoveryTime, maxRequestTime, connections }
}

const allOutages: Outage[] = [
  'restart',
  'crash',
  'cut',
  'crash',
  'restart',
  'slow',
  'crash',
  'lost commit answer',
  'restart',
]

/** Resolves when the database is back. */
async function causeOutage(kind: Outage, database: PostgresProcess, proxy: DatabaseProxy): Promise<void> {
  if (kind === 'lost commit answer') {
    let lost = 0
    proxy.choose.database = (bytes) => {
      if (!bytes.includes(committed)) return 'pass'
      lost++
      return bytes.indexOf(committed) - 5
    }
    const until = performance.now() + 3000 // the requests of this time are refused, and a busy machine commits rarely
    while (lost < lostCommits && performance.now() < until) await pause(20)
    proxy.choose.database = () => 'pass'
    return
  }
  if (kind === 'restart' || kind === 'crash') {
    await database.stopServer(kind === 'restart' ? 'SIGINT' : 'SIGQUIT')
    await pause(Math.random() * 200)
    await database.startServer()
    return
  }
  await beside(database.address, async (raw) => {
    if (kind === 'cut') {
      for (let cut = 0; cut < 5; cut++) {
        await raw.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${ours}`,
        )
        await pause(40)
      }
      return
    }
    await raw.begin(async (transaction) => {
      await transaction.query('LOCK TABLE "Entry" IN ACCESS EXCLUSIVE MODE')
      await pause((limit + 0.5) * 1000)
    })
  })
}

/** So many that one of them is surely a writer's: the sequencer commits too. */
const lostCommits = 4

/** The message has a header of five bytes. */
const committed = Buffer.from('COMMIT\0')

const ours = `application_name = 'twain'`

async function beside<T>(address: string, use: (raw: Database) => Promise<T>): Promise<T> {
  const named = new URL(address)
  named.searchParams.set('application_name', 'test')
  const raw = connect(named.href, { size: 1, time: 30 })
  try {
    return await use(raw)
  } finally {
    await raw.end()
  }
}

/** What the store answers when it lost the connection at COMMIT, and the HTTP server after the time limit. */
const unknownOutcome = /whether the write was made is not known|It is unknown whether the change was made/

/** The acknowledged number of each code; null when there is none. */
type Possible = Set<number | null>

/** The clients, and what they know from the answers. */
class Load {
  readonly rows = new Map<string, Possible>()
  /** The last answer of each code that did not acknowledge a write, for the message of a failed assertion. */
  readonly failures = new Map<string, string>()
  acknowledged = 0
  refused = 0
  unknownOutcomes = 0
  read = 0
  maxRecoveryTime = 0
  maxRequestTime = 0
  connections = 0
  readonly #address: string
  #running: Promise<void>[] = []
  #isOn = false
  #codes = 0

  constructor(address: string) {
    this.#address = address
  }

  begin(): void {
    this.#isOn = true
    this.#running = [
      ...Array.from({ length: writers }, () => this.#until(() => this.#write())),
      ...Array.from({ length: readers }, () => this.#until(() => this.#look())),
    ]
    for (const one of this.#running) one.catch(() => undefined) // reported by `end`
  }

  async end(): Promise<void> {
    this.#isOn = false
    await Promise.all(this.#running)
  }

  /** A write and a read that begin after the database is back. */
  async answersAgain(): Promise<void> {
    const began = performance.now()
    for (const act of [() => this.#write(), () => this.#look()]) {
      while (!(await act())) {
        assert.ok(performance.now() - began < maxRecoveryMs, 'nothing is answered 5 s after the database came back')
        await pause(10)
      }
    }
    const ready = await fetch(`${this.#address}/readyz`)
    await ready.body?.cancel()
    const away = performance.now() - began
    assert.ok(away < maxRecoveryMs, `${Math.round(away)} ms until it was answered`)
    this.maxRecoveryTime = Math.max(this.maxRecoveryTime, away)
  }

  async #until(act: () => Promise<boolean>): Promise<void> {
    while (this.#isOn) if (!(await act())) await pause(25)
  }

  /** Creates a row, updates it, and sometimes deletes it. Returns whether all was acknowledged. */
  async #write(): Promise<boolean> {
    const code = `c${this.#codes++}`
    const made = await this.#send(code, 1, 'POST', '/entries', { code, number: 1 })
    if (made === null) return false
    const { id } = made as { id: string }
    if ((await this.#send(code, 2, 'PATCH', `/entries/${id}`, { number: 2 })) === null) return false
    return this.#codes % 3 !== 0 || (await this.#send(code, null, 'DELETE', `/entries/${id}`)) !== null
  }

  async #look(): Promise<boolean> {
    const { status } = await this.#ask('GET', '/entries?limit=5&sort=-id')
    if (status === 200) this.read++
    return status === 200
  }

  /** Null when it was not acknowledged. `number` is the value that it sets. */
  async #send(code: string, number: number | null, method: string, path: string, body?: object): Promise<unknown> {
    const before = this.rows.get(code) ?? new Set([null])
    const { status, text } = await this.#ask(method, path, body)
    if (status < 300) {
      this.acknowledged++
      this.rows.set(code, new Set([number]))
      return text === '' ? {} : JSON.parse(text)
    }
    if (/The write was made/.test(text)) {
      this.unknownOutcomes++
      this.rows.set(code, new Set([number]))
      return null
    }
    const isUnknown = unknownOutcome.test(text)
    this.failures.set(code, `${method}: ${text}`)
    if (isUnknown) this.unknownOutcomes++
    else this.refused++
    this.rows.set(code, isUnknown ? new Set([...before, number]) : before)
    return null
  }

  async #ask(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
    const began = performance.now()
    const reply = await fetch(`${this.#address}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await reply.text()
    const took = performance.now() - began
    this.maxRequestTime = Math.max(this.maxRequestTime, took)
    assert.ok(took < maxSeconds * 1000, `${method} ${path} took ${Math.round(took)} ms: ${reply.status} ${text}`)
    if (!reply.ok) {
      assert.equal(reply.status, 503, `${method} ${path}: ${text}`)
      assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/, text)
    }
    return { status: reply.status, text }
  }
}

/** Reads the database directly, when nobody writes. */
async function checkRows(address: string, load: Load): Promise<void> {
  await beside(address, async (raw) => {
    const present = new Map(await raw.values<[string, number]>('SELECT code, number FROM "Entry"'))
    for (const [code, possible] of load.rows) {
      const number = present.get(code) ?? null
      const reported = `${code} is ${number}, and was reported as ${[...possible].map(String).join(' or ')}`
      assert.ok(possible.has(number), `${reported} (${load.failures.get(code)})`)
      load.rows.set(code, new Set([number]))
    }
    for (const code of present.keys()) assert.ok(load.rows.has(code), `${code} is there, and no answer reported it`)
    await waitForPositions(raw)
    assert.deepEqual([...(await raw.query(disagreeing))], [], 'the change log agrees with the rows')
    const [log] = await raw.query(
      'SELECT count(*)::int AS entries, max(seq)::int AS last, max(twain_log.last)::int AS assigned FROM twain_change, twain_log',
    )
    assert.deepEqual([log!.last, log!.assigned], [log!.entries, log!.entries], 'positions are dense')
    const [open] = await raw.query<{ n: number }>(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${ours}`)
    assert.ok(open!.n <= maxConnections, `${open!.n} connections, where ${maxConnections} may be`)
    const [idle] = await raw.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${ours} AND state LIKE 'idle in transaction%'`,
    )
    assert.equal(idle!.n, 0, 'no transaction is left open')
    load.connections = Math.max(load.connections, open!.n)
  })
}

async function waitForPositions(raw: Database): Promise<void> {
  const until = performance.now() + maxRecoveryMs
  while ((await raw.query('SELECT 1 FROM twain_change WHERE seq IS NULL LIMIT 1')).length > 0) {
    assert.ok(performance.now() < until, 'changes have no positions 5 s after all was quiet')
    await pause(20)
  }
}

const disagreeing = `
  WITH last AS (
    SELECT DISTINCT ON (id) id, kind, version, after::json ->> 'number' AS number, count(*) OVER (PARTITION BY id) AS entries
    FROM twain_change WHERE resource = 'Entry' ORDER BY id, seq DESC
  )
  SELECT last.*, "Entry"._version, "Entry".number AS there FROM last FULL JOIN "Entry" ON "Entry".id = last.id
  WHERE last.id IS NULL OR last.entries <> last.version OR (last.kind = 'deleted') <> ("Entry".id IS NULL)
     OR ("Entry".id IS NOT NULL AND ("Entry"._version <> last.version OR "Entry".number::text <> last.number))`
