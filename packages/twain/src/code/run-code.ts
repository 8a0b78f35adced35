// Runs the service's own code for the engine. Each call has its time; what it does not answer in it is a failure of its field
// alone, and its context is told so.

import { ApiError, anonymous, type Log } from '#base'
import { type CodeHooks, type CustomCode, type Engine, idempotentEngine } from '#engine'
import type { Model, Resource } from '#model'
import type { BoundCode } from './bind-code.ts'
import { Contexts } from './context.ts'

interface CodeEnvironment {
  model: Model
  /** Found when code is called: the engine is made with this. */
  engine: () => Engine
  /** How long a call may take; 0: as long as it likes. */
  seconds: number
  log: Log
}

/** What is told of what was committed; null where nothing wants to hear of it. */
export interface CodeChangeHandlers {
  types: readonly Resource[]
  /** Rejects when the call failed. */
  handle(of: Resource, told: object): Promise<void>
}

export function runCode(
  code: BoundCode,
  { model, engine, seconds, log }: CodeEnvironment,
): CustomCode & { hooks: CodeHooks | null; changeHandlers: CodeChangeHandlers | null } {
  const { computed, operations } = code
  const contexts = new Contexts(model, engine, log)
  return {
    hooks: hooksOf(code, contexts, seconds),
    changeHandlers: changeHandlersOf(code, model, contexts, seconds),
    async compute(field, rows, args, viewer) {
      const what = `${field.owner.name}.${field.name}`
      const resolver = expectThere(computed.get(field), what)
      const values = await inTime(what, seconds, (signal) => resolver(rows, args, contexts.make(what, viewer, signal)))
      if (!Array.isArray(values)) throw new Error(`the resolver of ${what} gave no list`)
      if (values.length !== rows.length) {
        throw new Error(`the resolver of ${what} was given ${rows.length} rows and gave ${values.length} values`)
      }
      return values
    },
    async call(operation, args, viewer, once) {
      const what = `${operation.root}.${operation.name}`
      const resolver = expectThere(operations.get(operation), what)
      const keyed = once === null ? undefined : idempotentEngine(engine(), once)
      return inTime(what, seconds, (signal) => resolver(args, contexts.make(what, viewer, signal, keyed)))
    },
  }
}

function hooksOf({ before, after }: BoundCode, contexts: Contexts, seconds: number): CodeHooks | null {
  if (before.size === 0 && after.size === 0) return null
  const hooks = { before, after }
  return {
    before: new Set(before.keys()),
    after: new Set(after.keys()),
    row: (of, id, inside) => contexts.row(of, id, inside),
    async run(hook, of, write, viewer, inside) {
      const what = `${hook}.${of.name}`
      const call = expectThere(hooks[hook].get(of.name), what)
      await inTime(what, seconds, (signal) => call(write, contexts.make(what, viewer, signal, inside)))
    },
  }
}

/** Nobody asks: `read` and `write` go as someone unknown, `system` as ever. */
function changeHandlersOf(
  { on }: BoundCode,
  { resources }: Model,
  contexts: Contexts,
  seconds: number,
): CodeChangeHandlers | null {
  if (on.size === 0) return null
  return {
    types: resources.filter(({ name }) => on.has(name)),
    async handle({ name }, told) {
      const what = `on.${name}`
      const call = expectThere(on.get(name), what)
      await inTime(what, seconds, (signal) => call(told, contexts.make(what, anonymous, signal)))
    },
  }
}

function expectThere<T>(resolver: T | undefined, what: string): T {
  if (resolver === undefined) throw new Error(`${what} has no resolver`)
  return resolver
}

async function inTime<T>(what: string, seconds: number, call: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    if (seconds === 0) return
    timer = setTimeout(() => {
      const fault = new ApiError('UNAVAILABLE', `${what} was not answered in ${seconds} s.`)
      reject(fault)
      ending.abort(fault)
    }, seconds * 1000)
  })
  try {
    return await Promise.race([call(ending.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
