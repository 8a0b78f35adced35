// The hooks of the rows that a write changes. A hook sees rows, not requests: every row of its type that a write changes, cascades,
// links and rows of owned lists included.
//
// 1. The engine makes the write, reads what it changed and rolls it back, and then calls `before`. So the rules have
//    allowed the write: no viewer can make code run for a write that is denied.
// 2. Code that catches the refusal of its write goes on without that write: with what the hooks of the write have written it is undone.

import type { MaybePromise } from '#base'
import type { IdempotencyKey, Viewer } from '#base/http'
import { type Model, membersOf, type Resource } from '#model'
import { isRehearsal, type Plan, type PlanResult } from '#plan'
import type { OpenTransaction, RunWrite, WrittenChange } from '#store'
import type { PasswordMemory } from '../password-memory.ts'
import type { CodeClock } from './code-clock.ts'
import type { CodeEngine, CodeHooks, HookedWrite } from './code-engine.ts'

/** One attempt of a transaction. The store repeats it after a conflict with another transaction. */
export interface Attempt {
  open: OpenTransaction
  clock: CodeClock
  passwords: PasswordMemory
  /** Aborted when the attempt has failed. */
  signal: AbortSignal
}

/** Where code runs. */
export interface CodePlace extends Attempt {
  /** The types whose hooks are running. */
  running: ReadonlySet<string>
  isDryRun: boolean
  /** Whether it is one write of a client: if that fails, nothing else goes on in its transaction. */
  isAlone: boolean
}

/** Runs code with an engine of its own. */
type RunCode = (place: CodePlace, code: (engine: CodeEngine) => MaybePromise<void>) => Promise<void>

/** A write, and what it consists of. */
interface HookableWrite<A extends PlanResult> {
  write: () => Promise<A>
  writes: readonly RunWrite[]
  key: IdempotencyKey | null
}

export class RowHooks {
  readonly #hooks: CodeHooks
  readonly #runCode: RunCode
  readonly #types: ReadonlyMap<string, Resource>
  /** The types whose writes may change a row that has a hook. */
  readonly #affectingTypes: ReadonlySet<string>

  constructor(hooks: CodeHooks, model: Model, runCode: RunCode) {
    this.#hooks = hooks
    this.#runCode = runCode
    this.#types = new Map(model.resources.map((of) => [of.name, of]))
    this.#affectingTypes = typesAffecting(new Set([...hooks.before, ...hooks.after]), model)
  }

  mayRunFor(plan: Plan): boolean {
    if (plan.kind === 'write') return !isRehearsal(plan) && this.#affectingTypes.has(plan.of.name)
    if (plan.kind === 'bulk') return this.#affectingTypes.has(plan.of.name)
    return plan.kind === 'batch' && plan.writes.some(({ of }) => this.#affectingTypes.has(of.name))
  }

  /** Makes a write with its hooks. Its result has what the `after` hooks have made of the rows. */
  write<A extends PlanResult>(
    write: HookableWrite<A>,
    viewer: Viewer,
    place: CodePlace,
    engine: CodeEngine,
  ): Promise<A> {
    const { open, passwords, isAlone } = place
    const make = () => this.#write(write, viewer, place, engine)
    return isAlone ? make() : passwords.savepoint(() => open.savepoint(make)) // 2
  }

  async #write<A extends PlanResult>(
    { write, writes, key }: HookableWrite<A>,
    viewer: Viewer,
    place: CodePlace,
    engine: CodeEngine,
  ): Promise<A> {
    const { before, after } = this.#hooks
    const { open: inside, running } = place
    const seeds: string[] = []
    inside.written()
    if (before.size > 0) {
      const planned = await inside.dryRun(async () => {
        await inside.withIdSeeds(seeds, write)
        const changes = this.#rowChanges(before, running, inside.written())
        return inOrder(changes, async (change) => ({ ...change, next: await this.#row(change, engine) }))
      })
      for (const { of, id, kind, next } of planned) {
        const row = kind === 'created' ? null : await this.#hooks.row(of, id, engine)
        await this.#runHook('before', of, { kind: actionOf[kind], id, row, next }, viewer, place)
      }
    }
    inside.written()
    const result = await inside.withIdSeeds(seeds, write)
    const made = inside.changeCount
    for (const change of this.#rowChanges(after, running, inside.written())) {
      const { of, kind, id } = change
      await this.#runHook('after', of, { kind, id, row: await this.#row(change, engine) }, viewer, place)
    }
    if (inside.changeCount === made) return result
    const answer = ofLastWrites(await inside.readBack(result, writes, made, viewer), result, writes)
    if (key !== null && answer !== result) await inside.remember(key, answer)
    return answer
  }

  async #runHook(
    hook: 'before' | 'after',
    of: Resource,
    write: HookedWrite,
    viewer: Viewer,
    place: CodePlace,
  ): Promise<void> {
    const running = new Set([...place.running, of.name])
    try {
      await this.#runCode({ ...place, running, isAlone: false }, (engine) =>
        this.#hooks.run(hook, of, write, viewer, engine, place.signal),
      )
    } catch (error) {
      throw new HookFailed(error)
    }
  }

  async #row({ of, kind, id }: RowChange, engine: CodeEngine): Promise<object | null> {
    return kind === 'deleted' ? null : this.#hooks.row(of, id, engine)
  }

  /** What became of each row of these types: several changes of one row are one. */
  #rowChanges(
    hooked: ReadonlySet<string>,
    running: ReadonlySet<string>,
    changes: readonly WrittenChange[],
  ): RowChange[] {
    const rows = new Map<string, RowChange>()
    for (const { resource, id, kind } of changes) {
      const of = this.#types.get(resource)
      if (of === undefined || !hooked.has(resource) || running.has(resource)) continue
      const key = `${resource}:${id}`
      const earlier = rows.get(key)?.kind
      if (earlier === 'created' && kind === 'deleted') rows.delete(key)
      else rows.set(key, { of, id, kind: earlier === 'created' ? 'created' : kind })
    }
    return [...rows.values()]
  }
}

/** A hook threw the cause. The engine would take an error as its own, and say which rules could have allowed the write. */
export class HookFailed extends Error {
  constructor(cause: unknown) {
    super('a hook failed', { cause })
  }
}

/** Of several writes of one row only the last has what the hooks have made of it. The others keep what they themselves have made. */
function ofLastWrites<A extends PlanResult>(fresh: A, made: A, writes: readonly RunWrite[]): A {
  if (fresh.kind !== 'batch' || made.kind !== 'batch' || fresh === made) return fresh
  const rowOf = (answer: PlanResult, index: number) => 'id' in answer && `${writes[index]!.plan.of.name} ${answer.id}`
  const last = new Map(fresh.answers.map((answer, index) => [rowOf(answer, index), index]))
  const answers = fresh.answers.map((answer, index) =>
    last.get(rowOf(answer, index)) === index ? answer : made.answers[index]!,
  )
  return { ...fresh, answers }
}

interface RowChange {
  of: Resource
  id: string
  kind: WrittenChange['kind']
}

const actionOf = { created: 'create', updated: 'update', deleted: 'delete' } as const

/** A write may change rows of its own type, of types that refer to it, of types that it has lists of, and so on. */
function typesAffecting(hooked: ReadonlySet<string>, { resources }: Model): ReadonlySet<string> {
  const related = new Map<string, Set<string>>(resources.map(({ name }) => [name, new Set()]))
  for (const { name, fields } of resources) {
    for (const field of fields.values()) {
      if (field.kind === 'stored') continue
      for (const other of membersOf(field.to)) {
        related.get(name)!.add(other.name)
        related.get(other.name)?.add(name)
      }
    }
  }
  const affecting = new Set(hooked)
  for (const name of affecting) for (const other of related.get(name) ?? []) affecting.add(other)
  return affecting
}

async function inOrder<From, To>(items: readonly From[], map: (item: From) => Promise<To>): Promise<To[]> {
  const mapped: To[] = []
  for (const item of items) mapped.push(await map(item))
  return mapped
}
