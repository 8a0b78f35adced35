// The change log under late commits, on PostgreSQL: 64 writers in two nodes (processes) that sleep 0–200 ms between
// insert and commit, a tenth of which roll back; one node is killed in the middle, and another replaces it. Readers on two further
// nodes stop and resume at random.
//
// 1. Each reader gets every committed change once, at positions without a gap, and none that was rolled back.
// 2. The versions of a row ascend.
// 3. A naive reader, which remembers the greatest sequence number (`n`, drawn at the insert), misses some in the same run: otherwise
//    the run has shown nothing.

import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChangeLog, ChangeRecord } from '../../packages/twain/src/store/changes/change-log.ts'
import { openTestLog } from '../../packages/twain/src/store/postgres/changes/change-log.fixture.ts'
import type { TestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { rowCount } from './late-commits-node.ts'

const writersOfNode = 32
const readerCount = 4

export interface LateCommits {
  commits: number
  seconds: number
  /** How many the naive reader missed. */
  naiveMissed: number
  /** How often readers stopped and resumed. */
  resumes: number
  /** Milliseconds from the answer of a commit on one node to its read on another, of the sampled commits. */
  delays: { half: number; most: number; worst: number; samples: number }
}

export async function runLateCommits(commits: number, report: (line: string) => void = () => {}): Promise<LateCommits> {
  const { database, open, close } = await openTestLog()
  await database.raw.script(`
      INSERT INTO "Row" (id, _version) SELECT 'r' || n, 0 FROM generate_series(0, ${rowCount - 1}) AS n;
      CREATE TABLE committed (tag text, id text, version bigint);
      CREATE INDEX ON twain_change (n)`)
  const nodes = await Promise.all([open(), open()])
  const children: ChildProcess[] = []
  const run = new Run(nodes.map(({ changes }) => changes))
  const reading = [...Array.from({ length: readerCount }, () => run.read()), run.readNaively(database)]
  const started = performance.now()
  try {
    const startWriters = () => children.push(run.startWriters(database.address))
    startWriters()
    startWriters()
    let isKilled = false
    for (let done = 0; done < commits; ) {
      await sleep(200)
      done = await count(database, 'committed')
      report(`${done} commits`)
      assert.ok(
        children.every(({ exitCode }) => exitCode === null),
        'a node has ended',
      )
      if (isKilled || done < commits / 2) continue
      isKilled = true
      children[0]!.kill('SIGKILL')
      startWriters()
    }
    const left = children.slice(1)
    for (const child of left) child.send('stop')
    for (const [code] of await Promise.all(left.map((child) => once(child, 'exit')))) assert.equal(code, 0)
    const seconds = (performance.now() - started) / 1000
    // Also those of the killed node, for which no notification was sent.
    for (let waited = 0; (await count(database, 'twain_change WHERE seq IS NULL')) > 0; waited++) {
      assert.ok(waited < 50, 'after a second there are changes without a position')
      await sleep(20)
    }
    await run.finish()
    await Promise.all(reading)
    const rows = await database.raw.values('SELECT tag, id, version FROM committed')
    const truth = rows.map((row) => row as Truth)
    run.check(truth)
    const naiveMissed = truth.filter(([tag]) => !run.naive.has(tag)).length
    return { commits: truth.length, seconds, naiveMissed, resumes: run.resumes, delays: run.delays() }
  } finally {
    for (const child of children) child.kill('SIGKILL')
    run.stop()
    await Promise.allSettled(reading)
    await close()
  }
}

type Truth = [tag: string, id: string, version: number]

async function count({ raw }: TestDatabase, from: string): Promise<number> {
  const [row] = await raw.values(`SELECT count(*) FROM ${from}`)
  return Number(row![0])
}

class Run {
  readonly naive = new Set<string>()
  resumes = 0
  readonly #nodes: ChangeLog[]
  readonly #read: ChangeRecord[][] = []
  /** When each change was first read, and when its commit was answered. */
  readonly #readAt = new Map<string, number>()
  readonly #answeredAt = new Map<string, number>()
  #end: number | null = null

  constructor(nodes: ChangeLog[]) {
    this.#nodes = nodes
  }

  startWriters(address: string): ChildProcess {
    const script = join(import.meta.dirname, 'late-commits-node.ts')
    const child = fork(script, [address, String(writersOfNode)])
    child.on('message', ([tag, at]: [string, number]) => this.#answeredAt.set(tag, at))
    return child
  }

  /** Readers go on until this position. */
  async finish(): Promise<void> {
    this.#end = (await this.#nodes[0]!.bounds()).end.position
  }

  /** The positions of the readers. */
  stop(): void {
    this.#end = 0
  }

  /** Reads after each notification from its last position, on one node after the other. */
  async read(): Promise<void> {
    const mine: ChangeRecord[] = []
    this.#read.push(mine)
    while (this.#end === null || mine.length < this.#end) {
      const node = this.#nodes[Math.floor(Math.random() * this.#nodes.length)]!
      await this.#readFor(node, mine, Math.random() * 2000)
      await sleep(Math.random() * 300)
      this.resumes++
    }
  }

  async #readFor(node: ChangeLog, mine: ChangeRecord[], milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds
    let woken = Promise.withResolvers<void>()
    const end = node.watch(() => woken.resolve())
    while (performance.now() < until && (this.#end === null || mine.length < this.#end)) {
      woken = Promise.withResolvers()
      const found = await node.read(node.point(mine.at(-1)?.position ?? 0), 1 + Math.floor(Math.random() * 200))
      const now = Date.now()
      for (const change of found) {
        mine.push(change)
        if (!this.#readAt.has(tagOf(change))) this.#readAt.set(tagOf(change), now)
      }
      if (found.length === 0) await Promise.race([woken.promise, sleep(Math.max(1, until - performance.now()))])
    }
    end()
  }

  async readNaively({ raw }: TestDatabase): Promise<void> {
    let cursor = 0
    while (this.#end === null) {
      const rows = await raw.values<[number, string]>('SELECT n, after FROM twain_change WHERE n > $1 ORDER BY n', [
        cursor,
      ])
      for (const [n, after] of rows) {
        this.naive.add(JSON.parse(after).tag)
        cursor = n
      }
      await sleep(20)
    }
  }

  check(truth: readonly Truth[]): void {
    const committed = truth.map((one) => one.join()).sort()
    for (const changes of this.#read) {
      const versions = new Map<string, number>()
      for (const [index, { position, id, version }] of changes.entries()) {
        assert.equal(position, index + 1, 'positions have a gap or a duplicate')
        assert.ok(version > (versions.get(id) ?? 0), `version ${version} of ${id} comes after ${versions.get(id)}`)
        versions.set(id, version)
      }
      const read = changes.map((change) => [tagOf(change), change.id, change.version].join()).sort()
      assert.deepEqual(read, committed)
    }
  }

  delays(): LateCommits['delays'] {
    const delays = [...this.#answeredAt].map(([tag, at]) => Math.max(0, (this.#readAt.get(tag) ?? at) - at))
    delays.sort((a, b) => a - b)
    const part = (share: number) => delays[Math.floor((delays.length - 1) * share)] ?? 0
    return { half: part(0.5), most: part(0.99), worst: part(1), samples: delays.length }
  }
}

function tagOf({ after }: ChangeRecord): string {
  return (JSON.parse(after!) as { tag: string }).tag
}
