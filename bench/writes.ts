// Durable creates per second of 64 writers: with group commit, and with a store that commits each write on its own. Both go
// through the engine, and are on disk when they resolve.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anonymous } from '../packages/twain/src/base/http/index.ts'
import { createEngine, type Engine } from '../packages/twain/src/engine/index.ts'
import { loadModel, type Resource } from '../packages/twain/src/model/index.ts'
import { PlanBuilder, planInput } from '../packages/twain/src/plan/build/index.ts'
import { defaultLimits, type WritePlan } from '../packages/twain/src/plan/index.ts'
import { openStore } from '../packages/twain/src/store/index.ts'
import { median } from './reads.ts'
import { schemaFile } from './twain-process.ts'

export interface WriteResult {
  /** Creates per second. */
  together: number
  alone: number
  ratio: number
}

const silent = { info() {}, warn() {}, error() {} }
const writers = 64
const rounds = 3
const milliseconds = 1500

export async function measureWrites(): Promise<WriteResult> {
  const [together, alone] = [await openWriter(), await openWriter(1)]
  for (const writer of [together, alone]) await writeAll(writer.create, 500)
  const rates = { together: [] as number[], alone: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    rates.together.push(await writeAll(together.create, milliseconds))
    rates.alone.push(await writeAll(alone.create, milliseconds))
  }
  await Promise.all([together.close(), alone.close()])
  const [group, single] = [median(rates.together), median(rates.alone)]
  return { together: group, alone: single, ratio: group / single }
}

export type Create = () => Promise<unknown>

async function openWriter(maxGroupedWrites?: number): Promise<{ create: Create; close(): Promise<void> }> {
  const data = await mkdtemp(join(tmpdir(), 'twain-bench-'))
  const sdl = await readFile(schemaFile, 'utf8')
  const model = loadModel(sdl, schemaFile)
  const grouping = maxGroupedWrites === undefined ? {} : { maxGroupedWrites }
  const store = await openStore({ data, model, sdl, limits: defaultLimits, log: silent, ...grouping })
  return {
    create: creator(createEngine({ model, store, limits: defaultLimits })),
    async close() {
      await store.close()
      await rm(data, { recursive: true })
    },
  }
}

export async function writeAll(create: Create, milliseconds: number): Promise<number> {
  const began = performance.now()
  const counts = await Promise.all(Array.from({ length: writers }, () => writeUntil(began + milliseconds, create)))
  return perSecond(counts, began)
}

async function writeUntil(until: number, create: Create): Promise<number> {
  let count = 0
  while (performance.now() < until) {
    await create()
    count++
  }
  return count
}

function perSecond(counts: number[], began: number): number {
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - began) / 1000)
}

/** Creates a user without an API adapter, so that only the engine and the store are measured. */
export function creator(engine: Engine): Create {
  const of = engine.model.types.get('User') as Resource
  const id = of.fields.get('id')!
  if (id.kind !== 'stored') throw new Error('an id is a stored field')
  const answer: WritePlan['answer'] = [{ kind: 'field', key: 'id', field: id }]
  let made = 0
  return async () => {
    const draft = new PlanBuilder()
    const input = {
      name: 'Ann Other',
      email: `writer${made++}@bench.example`,
      bio: 'Writes a row, and another, and another.',
    }
    const set = planInput(input, of, 'create', draft, '', false)
    draft.finish(defaultLimits)
    const plan: WritePlan = { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer }
    return engine.execute({ plan, values: draft.values(), places: draft.places }, anonymous)
  }
}
