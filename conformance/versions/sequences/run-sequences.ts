// Draws sequences and runs them, a few at once. A failure is shrunk, and printed with its seed.

import type { StoreName } from '../../../packages/twain/src/store/test-place.fixture.ts'
import { Random } from '../../fuzz/random.ts'
import { OwnDatabase } from '../../harness/own-database.ts'
import { schemaText } from './chain.ts'
import { drawChain } from './draw-chain.ts'
import { drawSteps } from './draw-steps.ts'
import { runSequence, SequenceFailed } from './run-sequence.ts'
import { type Drawn, shrink } from './shrink.ts'
import { stepText } from './step.ts'

export interface FoundFailure {
  seed: number
  message: string
  drawn: Drawn
}

export interface RunOptions {
  store: StoreName
  seeds: readonly number[]
  /** How long to look for a shorter sequence that fails. Default: a minute. */
  shrinkMs?: number
  /** How many failures end the run. Default: one. */
  maxFailures?: number
}

export interface Outcome {
  failures: FoundFailure[]
  sequences: number
  /** How many steps of each kind did something. */
  steps: Map<string, number>
}

/** Sequences that run at once: they mostly wait for the database. */
const parallel = { sqlite: 2, postgres: 3 }

export async function runSequences({ store, seeds, shrinkMs = 60_000, maxFailures = 1 }: RunOptions): Promise<Outcome> {
  const outcome: Outcome = { failures: [], sequences: 0, steps: new Map() }
  const left = [...seeds]
  const work = async (databases: OwnDatabase) => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      if (outcome.failures.length >= maxFailures) return
      const drawn = drawSequence(seed, store)
      const message = await failureOf(store, databases, drawn, outcome)
      outcome.sequences++
      if (message !== null) outcome.failures.push({ seed, message, drawn })
    }
  }
  const databases = Array.from({ length: parallel[store] }, () => new OwnDatabase())
  await Promise.all(databases.map(work))
  outcome.failures.splice(maxFailures)
  for (const failure of outcome.failures) {
    const small = await shrink(
      failure.drawn,
      failure.message,
      (smaller) => failureOf(store, databases[0]!, smaller),
      shrinkMs,
    )
    Object.assign(failure, { drawn: small.drawn, message: small.failure })
  }
  for (const database of databases) await database.close()
  return outcome
}

export function drawSequence(seed: number, store: StoreName): Drawn {
  const random = new Random(seed)
  const chain = drawChain(random)
  return { chain, steps: drawSteps(random, chain, store === 'sqlite' ? 1 : 3) }
}

async function failureOf(
  store: StoreName,
  databases: OwnDatabase,
  drawn: Drawn,
  outcome?: Outcome,
): Promise<string | null> {
  try {
    const { done } = await runSequence(store, databases, drawn)
    for (const [kind, count] of done) outcome?.steps.set(kind, (outcome.steps.get(kind) ?? 0) + count)
    return null
  } catch (error) {
    if (error instanceof SequenceFailed) return error.message
    throw error
  }
}

/** What to read when a sequence fails, and how to repeat it. */
export function failureText({ seed, message, drawn: { chain, steps } }: FoundFailure, store: StoreName): string {
  const schemas = Array.from(
    { length: chain.versions },
    (_, version) => `version ${version}:\n${schemaText(chain, version)}`,
  )
  const list = steps.map((step, index) => `${index + 1}. ${stepText(step)}`)
  return [
    `seed ${seed} on ${store}: ${message}`,
    ...schemas,
    `version 0 starts, then:\n${list.join('\n')}`,
    `Repeat it with: npm run soak -- versions=1,${seed}`,
  ].join('\n\n')
}

/** `120 starts, 400 writes`. */
export function stepsText({ steps }: Outcome): string {
  return [...steps]
    .toSorted(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ')
}
