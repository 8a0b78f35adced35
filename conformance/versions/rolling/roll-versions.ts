// Rolls nodes behind a proxy from version to version under load, and then compares every row, file and event with what the clients
// know: no request failed, and no answer was wrong.

import assert from 'node:assert/strict'
import { changes } from '../../faults/proxies/exactly-once.ts'
import { byPolling, bySocket, byStream, Reader, type SeenChange } from '../../faults/proxies/feed-readers.ts'
import type { Later } from '../../faults/proxies/nodes-behind-proxy.ts'
import type { Client } from '../../faults/proxies/proxy-client.ts'
import type { Kind } from '../../faults/proxies/proxy-process.ts'
import { until } from '../../harness/until.ts'
import { differences, RollingClient } from './rolling-client.ts'
import { RollingNodes } from './rolling-nodes.ts'

export interface RollOptions {
  proxy: Kind
  /** 0 is the first version, which all nodes have at the start. */
  versions: readonly number[]
  clients: number
  /** How many turns all clients together make after each restart of a node. */
  turnsBetween: number
  report(line: string): void
}

export async function rollVersions(
  later: Later,
  { proxy, versions, clients: count, turnsBetween, report }: RollOptions,
): Promise<void> {
  const nodes = await RollingNodes.open(later, proxy)
  const auditor = nodes.client()
  const start: string = (await changes(auditor, 'now')).pageInfo.endCursor
  const readers = [bySocket, byStream, byPolling].map((read) => new Reader(read, nodes.client(), start))
  later.after(() => Promise.all(readers.map((reader) => reader.stop())))
  const load = new Load(Array.from({ length: count }, (_, number) => new RollingClient(nodes.client(), number)))
  later.after(() => load.stop())
  await load.prepare()
  load.start(false)
  await load.turns(turnsBetween)
  for (const [index, version] of versions.entries()) {
    await load.stop() // so that no client uses what the nodes are about to lose
    load.start(false)
    const began = performance.now()
    await nodes.roll(version, () => load.turns(turnsBetween))
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    if (version === 1) {
      await load.stop()
      load.start(true)
      await load.turns(turnsBetween)
    }
    report(
      `roll ${index + 1}, to version ${version + 1}, in ${seconds} s: ${load.answered} requests, ${load.failures.length} failed, ${load.wrong.length} wrong`,
    )
  }
  await load.stop()
  assert.deepEqual(load.failures, [], 'failed requests')
  assert.deepEqual(load.wrong, [], 'wrong answers')
  assert.deepEqual(nodes.errors(), [], 'errors in the logs of the nodes')
  const rows = await compareRows(load, auditor)
  const events = await compareEvents(load, auditor, start)
  for (const reader of readers) await compareSeen(reader, events)
  const times = load.milliseconds.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)]!)
  report(
    `${load.answered} requests, 0 failed, 0 wrong; ${rows} rows, ${load.files} files and ${events.length} events as the clients know them`,
  )
  report(
    `half of the requests took ${at(0.5)} ms at most, 99 of 100 ${at(0.99)} ms, the longest ${at(1)} ms; ${readers.map(({ turns }) => turns).join(', ')} connections of the event readers`,
  )
}

class Load {
  readonly #clients: readonly RollingClient[]
  #goesOn = false
  #running: Promise<unknown> = Promise.resolve()
  #turns = 0
  #waiting: { turns: number; resolve: () => void } | null = null

  constructor(clients: readonly RollingClient[]) {
    this.#clients = clients
  }

  get clients(): readonly RollingClient[] {
    return this.#clients
  }

  get answered(): number {
    return this.#clients.reduce((sum, client) => sum + client.answered, 0)
  }

  get files(): number {
    return this.#clients.reduce((sum, client) => sum + client.files.size, 0)
  }

  get failures() {
    return this.#clients.flatMap(({ failures }) => failures)
  }

  get wrong(): string[] {
    return this.#clients.flatMap(({ wrong }) => wrong)
  }

  get milliseconds(): number[] {
    return this.#clients.flatMap(({ milliseconds }) => milliseconds)
  }

  async prepare(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.prepare()))
  }

  start(hasNew: boolean): void {
    this.#goesOn = true
    this.#running = Promise.all(
      this.#clients.map(async (client) => {
        while (this.#goesOn) {
          await client.turn(hasNew)
          this.#turns++
          if (this.#waiting !== null && this.#turns >= this.#waiting.turns) this.#waiting.resolve()
        }
      }),
    )
  }

  /** Resolves after so many more turns. */
  async turns(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting = { turns: this.#turns + count, resolve }
    await promise
    this.#waiting = null
  }

  async stop(): Promise<void> {
    this.#goesOn = false
    await this.#running
  }
}

async function compareRows(load: Load, auditor: Client): Promise<number> {
  let compared = 0
  for (const { notes, files } of load.clients) {
    for (const [id, states] of notes) {
      const expected = states.at(-1)
      const reply = await auditor.ask('GET', `/notes/${id}?fields=id,text,count,folder,picture,summary,stars,scans.id`)
      compared++
      if (expected === null || expected === undefined) {
        assert.equal(reply.status, 404, `GET /notes/${id}`)
        continue
      }
      assert.equal(reply.status, 200, `GET /notes/${id}: ${reply.bytes}`)
      const shown = JSON.parse(String(reply.bytes))
      const scans = shown.scans.map(({ id: file }: { id: string }) => file).toSorted()
      const wanted = {
        picture: null,
        summary: null,
        stars: 3,
        ...expected,
        scans: ((expected.scans ?? []) as string[]).toSorted(),
      }
      assert.deepEqual(differences({ ...shown, scans }, wanted), [], `GET /notes/${id}`)
    }
    for (const [file, text] of files) assert.equal(String((await auditor.ask('GET', `/files/${file}`)).bytes), text)
  }
  return compared
}

/** Every version of every note is one event, with the whole row as it was then. */
async function compareEvents(load: Load, auditor: Client, start: string): Promise<SeenChange[]> {
  const states = new Map(load.clients.flatMap(({ notes }) => [...notes]))
  const left = new Set([...states].flatMap(([id, versions]) => versions.map((_, index) => `${id} ${index + 1}`)))
  const events: SeenChange[] = []
  let page = await changes(auditor, start)
  for (; page.edges.length > 0; page = await changes(auditor, page.pageInfo.endCursor)) {
    for (const { node } of page.edges) {
      if (node.source !== '/notes') continue
      events.push({ cursor: node.id, id: node.subject, version: node.version })
      assert.ok(left.delete(`${node.subject} ${node.version}`), `an event too many: ${JSON.stringify(node)}`)
      const expected = states.get(node.subject)![node.version - 1]
      assert.equal(node.type === 'note.deleted', expected === null, JSON.stringify(node))
      if (expected === null || expected === undefined) continue
      assert.deepEqual(differences(node.data, { summary: null, stars: 3, ...expected }), [], JSON.stringify(node))
    }
  }
  assert.deepEqual([...left], [], 'events that are missing')
  return events
}

/** A reader has every change of notes once and in order. What it has of other types depends on the versions of its nodes. */
async function compareSeen(reader: Reader, events: readonly SeenChange[]): Promise<void> {
  const ids = new Set(events.map(({ id }) => id))
  const seen = () => reader.seen.filter(({ id }) => ids.has(id))
  await until(
    async () => seen().length,
    (length) => length >= events.length,
  )
  assert.deepEqual(seen(), events)
}
