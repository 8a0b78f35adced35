// The corridor around which own code stands: hooks before and after a write, in its transaction.
//
// 1. A hook hears of rows, not of requests: of everything that a write does to rows of its type, whatever came along (rows of
//    owned lists, cascades, links), through whichever door, in a batch or alone.
// 2. `before` is asked only about what would be done: the write is made, looked at and undone first. So the rules have judged
//    it, and no code is asked by who may not write.
// 3. What a hook reads and writes is in the same transaction. Its writes have hooks too, but for those of the types that are
//    under way already: code does not call itself.
// 4. What a hook throws undoes everything.

import type { MaybePromise, Viewer } from '#base'
import { type Model, membersOf, type Resource } from '#model'
import { Authority, type Plan, type PlanResult } from '#plan'
import type { OpenTransaction, Store, WrittenChange } from '#store'
import type { Engine } from '../contract.ts'
import type { CodeHooks } from '../custom-code.ts'
import { createEngine, type EngineParts } from '../engine.ts'
import type { TransactionPart } from '../transaction.ts'

interface Parts extends EngineParts {
  store: EngineParts['store'] & Pick<Store, 'transaction'>
}

/** With hooks where own code has some; else just the engine. */
export function openEngine(parts: Parts): Engine {
  const hooks = parts.code?.hooks ?? null
  const authority = new Authority(parts.model)
  const engine = createEngine({ ...parts, authority })
  if (hooks === null) return engine
  const hooked = new HookedEngine({ ...parts, authority }, hooks)
  return {
    ...engine,
    execute: (boundPlan, viewer, options) =>
      hooked.concerns(boundPlan.plan)
        ? hooked.open(viewer, (inside) => inside.execute(boundPlan, viewer, options))
        : engine.execute(boundPlan, viewer, options),
    // What it is of is known when it is planned, which is done once and inside.
    transact: (asked, viewer, once) => {
      const planned = asked.map(plannedOnce)
      return hooked.open(viewer, (inside) => inside.transact(planned, viewer, once))
    },
  }
}

class HookedEngine {
  readonly #parts: Parts
  readonly #hooks: CodeHooks
  readonly #types: ReadonlyMap<string, Resource>
  /** Those whose writes may come to a row that has a hook. */
  readonly #concerned: ReadonlySet<string>

  constructor(parts: Parts, hooks: CodeHooks) {
    this.#parts = parts
    this.#hooks = hooks
    this.#types = new Map(parts.model.resources.map((of) => [of.name, of]))
    this.#concerned = concernedBy(new Set([...hooks.before, ...hooks.after]), parts.model)
  }

  concerns(plan: Plan): boolean {
    if (plan.kind === 'write') return this.#concerned.has(plan.of.name)
    return plan.kind === 'batch' && plan.writes.some(({ of }) => this.#concerned.has(of.name))
  }

  open<T>(viewer: Viewer, work: (inside: Engine) => MaybePromise<T>): Promise<T> {
    return this.#parts.store.transaction(async (inside) => work(this.#inside(inside, new Set())), viewer)
  }

  /** The engine in an open transaction. One thing at a time, also for code that asks for several at once. */
  #inside(inside: OpenTransaction, underWay: ReadonlySet<string>): Engine {
    const { store, hashPassword } = this.#parts
    const engine = createEngine({
      ...this.#parts,
      hashPassword: hashPassword && hashedOnce(hashPassword),
      store: {
        run: (plan, values, extras, viewer) => inside.run(plan, values, extras, viewer),
        transact: (writes, once, viewer) => inside.transact(writes, once, viewer),
        projector: store.projector,
        idempotency: store.idempotency,
      },
    })
    const inTurn = inTurns()
    return {
      ...engine,
      execute: (boundPlan, viewer, options) => {
        const { kind } = boundPlan.plan
        const run = async () => engine.execute(boundPlan, viewer, options)
        return inTurn(
          kind === 'one' || kind === 'many' ? run : () => this.#write(run, viewer, inside, underWay, engine),
        )
      },
      transact: (parts, viewer, once) => {
        const planned = parts.map(plannedOnce)
        return inTurn(() => this.#write(() => engine.transact(planned, viewer, once), viewer, inside, underWay, engine))
      },
    }
  }

  async #write<A extends PlanResult>(
    write: () => Promise<A>,
    viewer: Viewer,
    inside: OpenTransaction,
    underWay: ReadonlySet<string>,
    engine: Engine,
  ): Promise<A> {
    const { before, after } = this.#hooks
    const next = (of: Resource) => this.#inside(inside, new Set([...underWay, of.name]))
    const ids: string[] = []
    await inside.written()
    if (before.size > 0) {
      const wouldBe = await inside.undone(async () => {
        await inside.withIds(ids, write)
        const lines = this.#of(before, underWay, await inside.written())
        return inOrder(lines, async (line) => ({ ...line, next: await this.#row(line, engine) }))
      })
      for (const { of, id, kind, next: to } of wouldBe) {
        const row = kind === 'created' ? null : await this.#hooks.row(of, id, engine)
        const isKnown = kind !== 'created' || ids.includes(id)
        const told = { kind: asked[kind], id: isKnown ? id : null, row, next: to }
        await this.#hooks.run('before', of, told, viewer, next(of))
      }
    }
    await inside.written()
    const answer = await inside.withIds(ids, write)
    const made = this.#of(after, underWay, await inside.written())
    for (const line of made) {
      const { of, kind, id } = line
      await this.#hooks.run('after', of, { kind, id, row: await this.#row(line, engine) }, viewer, next(of))
    }
    return answer
  }

  async #row({ of, kind, id }: Line, engine: Engine): Promise<object | null> {
    return kind === 'deleted' ? null : this.#hooks.row(of, id, engine)
  }

  /** What became of each row that these hooks are about. */
  #of(hooked: ReadonlySet<string>, underWay: ReadonlySet<string>, lines: readonly WrittenChange[]): Line[] {
    const rows = new Map<string, Line>()
    for (const { resource, id, kind } of lines) {
      const of = this.#types.get(resource)
      if (of === undefined || !hooked.has(resource) || underWay.has(resource)) continue
      const key = `${resource}:${id}`
      const earlier = rows.get(key)?.kind
      if (earlier === 'created' && kind === 'deleted') rows.delete(key)
      else rows.set(key, { of, id, kind: earlier === 'created' ? 'created' : kind })
    }
    return [...rows.values()]
  }
}

interface Line {
  of: Resource
  id: string
  kind: WrittenChange['kind']
}

const asked = { created: 'create', updated: 'update', deleted: 'delete' } as const

/** A write may change rows of its own type, of those that refer to it or that it has lists of, and so on. */
function concernedBy(hooked: ReadonlySet<string>, { resources }: Model): ReadonlySet<string> {
  const beside = new Map<string, Set<string>>(resources.map(({ name }) => [name, new Set()]))
  for (const { name, fields } of resources) {
    for (const field of fields.values()) {
      if (field.kind === 'stored') continue
      for (const other of membersOf(field.to)) {
        beside.get(name)!.add(other.name)
        beside.get(other.name)?.add(name)
      }
    }
  }
  const concerned = new Set(hooked)
  for (const name of concerned) for (const other of beside.get(name) ?? []) concerned.add(other)
  return concerned
}

/** It is made again after it was looked at, and is then to be the same. */
function plannedOnce({ place, plan }: TransactionPart): TransactionPart {
  let planned: ReturnType<typeof plan> | undefined
  return { place, plan: () => (planned ??= plan()) }
}

/** A hash takes long on purpose. */
function hashedOnce(hash: (password: string) => Promise<string>): (password: string) => Promise<string> {
  const known = new Map<string, Promise<string>>()
  return (password) => {
    const hashed = known.get(password) ?? hash(password)
    known.set(password, hashed)
    return hashed
  }
}

async function inOrder<From, To>(items: readonly From[], turn: (item: From) => Promise<To>): Promise<To[]> {
  const turned: To[] = []
  for (const item of items) turned.push(await turn(item))
  return turned
}

function inTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn
    return turn
  }
}
