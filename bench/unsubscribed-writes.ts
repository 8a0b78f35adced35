// The cost of writes without subscribers, in a complete service with its readers of the change log, compared with the same
// writes in a store without readers. Rounds alternate; the figure is the CPU time of this process, in which the store's
// writer is a thread.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEngine } from '../packages/twain/src/engine/index.ts'
import { createEvents, openCursors } from '../packages/twain/src/events/index.ts'
import { loadModel } from '../packages/twain/src/model/index.ts'
import { defaultLimits } from '../packages/twain/src/plan/index.ts'
import { openStore } from '../packages/twain/src/store/index.ts'
import { median } from './reads.ts'
import { schemaFile } from './twain-process.ts'
import { type Create, creator, writeAll } from './writes.ts'

export interface UnheardResult {
  /** Creates per second of CPU time. */
  followed: number
  bare: number
  ratio: number
}

const silent = { info() {}, warn() {}, error() {} }
const rounds = 14
const milliseconds = 500

export async function measureUnheard(): Promise<UnheardResult> {
  const [followed, bare] = [await openWriter(true), await openWriter(false)]
  const rates = { followed: [] as number[], bare: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    // The order makes a difference of some percent: the disk is still busy with the writes before.
    const turns = [
      () => rateOf(followed.create).then((rate) => rates.followed.push(rate)),
      () => rateOf(bare.create).then((rate) => rates.bare.push(rate)),
    ]
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn()
  }
  await Promise.all([followed.close(), bare.close()])
  const [ours, theirs] = [median(rates.followed.slice(1)), median(rates.bare.slice(1))]
  return { followed: ours, bare: theirs, ratio: ours / theirs }
}

async function rateOf(create: Create): Promise<number> {
  const [before, began] = [process.cpuUsage(), performance.now()]
  const perSecond = await writeAll(create, milliseconds)
  const seconds = (performance.now() - began) / 1000
  const { user, system } = process.cpuUsage(before)
  return (perSecond * seconds) / ((user + system) / 1e6)
}

async function openWriter(isFollowed: boolean): Promise<{ create: Create; close(): Promise<void> }> {
  const data = await mkdtemp(join(tmpdir(), 'twain-bench-'))
  const sdl = await readFile(schemaFile, 'utf8')
  const model = loadModel(sdl, schemaFile)
  const store = await openStore({ data, model, sdl, limits: defaultLimits, log: silent })
  const engine = createEngine({ model, store, limits: defaultLimits })
  const events = isFollowed
    ? createEvents({
        engine,
        store,
        cursors: await openCursors(store.changes, store.credentials, Date.now),
        settings: undefined,
        log: silent,
      })
    : null
  return {
    create: creator(engine),
    async close() {
      await events?.close()
      await store.close()
      await rm(data, { recursive: true })
    },
  }
}
