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
const mostConnections = pool + 1
const writers = 12
const readers = 4
/** Seconds: `limits.timeSeconds`, the time for the refusal, and the delay of a busy machine. */
const [limit, longest] = [2, 2 + 1 + 2]
/** Milliseconds after the database is back. */
const healed = 5000

type Trouble = 'restart' | 'crash' | 'cut' | 'slow' | 'unheard'

export interface OutageReport {
  outages: number
  acknowledged: number
  refused: number
  notKnown: number
  read: number
  /** Milliseconds: the longest time until requests were answered again, and the longest request. */
  longestAway: number
  longestRequest: number
  /** The most connections, after each outage. */
  connections: number
}

export interface OutageOptions {
  report?: (line: string) => void
  troubles?: Trouble[]
  /** A module that the node loads before it starts, with a bug that the run must find. */
  mutant?: string
}

export async function runOutages(outages: number, options: OutageOptions = {}): Promise<OutageReport> {
  const { report: tell = () => {}, troubles = allTroubles, mutant } = options
  const folder = await mkdtemp(join(tmpdir(), 'twain-outages-'))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, sdl)
  const database = await PostgresProcess.start()
  const line = await DatabaseProxy.open(database.address)
  const settings = [
    '--database',
    line.address,
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
      const trouble = troubles[outage % troubles.length]!
      await makeTrouble(trouble, database, line)
      await load.answersAgain()
      await pause(50)
      await load.end()
      await checkRows(database.address, load)
      tell(
        `${outage} ${trouble}: ${load.acknowledged} acknowledged, ${load.refused} refused, ${load.notKnown} not known`,
      )
    }
  } catch (error) {
    throw new Error(`${String(error)}\n${server.output.slice(-3000)}`, { cause: error })
  } finally {
    await load.end().catch(() => undefined)
    await server.stop()
    await line.close()
    await database.end()
    await rm(folder, { recursive: true })
  }
  assert.doesNotMatch(server.output, /request failed|response failed while it was sent/)
  const { acknowledged, refused, notKnown, read, longestAway, longestRequest, connections } = load
  return { outages, acknowledged, refused, notKnown, read, longestAway, longestRequest, connections }
}

const allTroubles: Trouble[] = ['restart', 'crash', 'cut', 'crash', 'restart', 'slow', 'crash', 'unheard', 'restart']

/** Resolves when the database is back. */
async function makeTrouble(trouble: Trouble, database: PostgresProcess, line: DatabaseProxy): Promise<void> {
  if (trouble === 'unheard') {
    line.choose.database = (bytes) => (bytes.includes(committed) ? bytes.indexOf(committed) - 5 : 'pass')
    await pause(150)
    line.choose.database = () => 'pass'
    return
  }
  if (trouble === 'restart' || trouble === 'crash') {
    await database.stopServer(trouble === 'restart' ? 'SIGINT' : 'SIGQUIT')
    await pause(Math.random() * 200)
    await database.startServer()
    return
  }
  await beside(database.address, async (raw) => {
    if (trouble === 'cut') {
      for (let cut = 0; cut < 5; cut++) {
        await raw.unsafe(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND ${ours}`,
        )
        await pause(40)
      }
      return
    }
    await raw.begin(async (held) => {
      await held.unsafe('LOCK TABLE "Entry" IN ACCESS EXCLUSIVE MODE')
      await pause((limit + 0.5) * 1000)
    })
  })
}

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

/** The acknowledged number of each code; null when there is none. */
type Possible = Set<number | null>

/** The clients, and what they know from the answers. */
class Load {
  readonly rows = new Map<string, Possible>()
  acknowledged = 0
  refused = 0
  notKnown = 0
  read = 0
  longestAway = 0
  longestRequest = 0
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
        assert.ok(performance.now() - began < healed, 'nothing is answered 5 s after the database came back')
        await pause(10)
      }
    }
    const ready = await fetch(`${this.#address}/readyz`)
    await ready.body?.cancel()
    const away = performance.now() - began
    assert.ok(away < healed, `${Math.round(away)} ms until it was answered`)
    this.longestAway = Math.max(this.longestAway, away)
  }

  async #until(act: () => Promise<boolean>): Promise<void> {
    while (this.#isOn) if (!(await act())) await pause(25)
  }

  /** Creates a row, updates it, and sometimes deletes it. Returns whether all was acknowledged. */
  async #write(): Promise<boolean> {
    const code = `c${this.#codes++}`
    const made = await this.#told(code, 1, 'POST', '/entries', { code, number: 1 })
    if (made === null) return false
    const { id } = made as { id: string }
    if ((await this.#told(code, 2, 'PATCH', `/entries/${id}`, { number: 2 })) === null) return false
    return this.#codes % 3 !== 0 || (await this.#told(code, null, 'DELETE', `/entries/${id}`)) !== null
  }

  async #look(): Promise<boolean> {
    const { status } = await this.#ask('GET', '/entries?limit=5&sort=-id')
    if (status === 200) this.read++
    return status === 200
  }

  /** Null when it was not acknowledged. `number` is the value that it sets. */
  async #told(code: string, number: number | null, method: string, path: string, body?: object): Promise<unknown> {
    const before = this.rows.get(code) ?? new Set([null])
    const { status, text } = await this.#ask(method, path, body)
    if (status < 300) {
      this.acknowledged++
      this.rows.set(code, new Set([number]))
      return text === '' ? {} : JSON.parse(text)
    }
    if (/The write was made/.test(text)) {
      this.notKnown++
      this.rows.set(code, new Set([number]))
      return null
    }
    const isDoubtful = /not known/.test(text)
    if (isDoubtful) this.notKnown++
    else this.refused++
    this.rows.set(code, isDoubtful ? new Set([...before, number]) : before)
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
    this.longestRequest = Math.max(this.longestRequest, took)
    assert.ok(took < longest * 1000, `${method} ${path} took ${Math.round(took)} ms: ${reply.status} ${text}`)
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
    const present = new Map((await raw.unsafe('SELECT code, number FROM "Entry"')).map((row) => [row.code, row.number]))
    for (const [code, possible] of load.rows) {
      const number = present.get(code) ?? null
      assert.ok(possible.has(number), `${code} is ${number}, and was told to be ${[...possible].join(' or ')}`)
      load.rows.set(code, new Set([number]))
    }
    for (const code of present.keys()) assert.ok(load.rows.has(code), `${code} is there, and nobody was told so`)
    await positionsGiven(raw)
    assert.deepEqual([...(await raw.unsafe(disagreeing))], [], 'the change log agrees with the rows')
    const [log] = await raw.unsafe(
      'SELECT count(*)::int AS lines, max(seq)::int AS last, max(twain_log.last)::int AS told FROM twain_change, twain_log',
    )
    assert.deepEqual([log!.last, log!.told], [log!.lines, log!.lines], 'positions are dense')
    const [open] = await raw.unsafe(`SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${ours}`)
    assert.ok(open!.n <= mostConnections, `${open!.n} connections, where ${mostConnections} may be`)
    const [held] = await raw.unsafe(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE ${ours} AND state LIKE 'idle in transaction%'`,
    )
    assert.equal(held!.n, 0, 'no transaction is left open')
    load.connections = Math.max(load.connections, open!.n)
  })
}

async function positionsGiven(raw: Database): Promise<void> {
  const until = performance.now() + healed
  while ((await raw.unsafe('SELECT 1 FROM twain_change WHERE seq IS NULL LIMIT 1')).length > 0) {
    assert.ok(performance.now() < until, 'changes have no positions 5 s after all was quiet')
    await pause(20)
  }
}

const disagreeing = `
  WITH last AS (
    SELECT DISTINCT ON (id) id, kind, version, after::json ->> 'number' AS number, count(*) OVER (PARTITION BY id) AS lines
    FROM twain_change WHERE resource = 'Entry' ORDER BY id, seq DESC
  )
  SELECT last.*, "Entry"._version, "Entry".number AS there FROM last FULL JOIN "Entry" ON "Entry".id = last.id
  WHERE last.id IS NULL OR last.lines <> last.version OR (last.kind = 'deleted') <> ("Entry".id IS NULL)
     OR ("Entry".id IS NOT NULL AND ("Entry"._version <> last.version OR "Entry".number::text <> last.number))`
