// Runs the service's own code for the engine. Each call has its time; what it does not answer in it is a failure of its field
// alone, and its context is told so.

import { Fault, type Log } from '#base'
import type { Engine, OwnCode } from '#engine'
import type { Model } from '#model'
import type { BoundCode } from './bind-code.ts'
import { Contexts } from './context.ts'

interface Surroundings {
  model: Model
  /** Found when code is called: the engine is made with this. */
  engine: () => Engine
  /** How long a call may take; 0: as long as it likes. */
  seconds: number
  log: Log
}

export function runCode({ computed, operations }: BoundCode, { model, engine, seconds, log }: Surroundings): OwnCode {
  const contexts = new Contexts(model, engine, log)
  return {
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
    async call(operation, args, viewer) {
      const what = `${operation.root}.${operation.name}`
      const resolver = expectThere(operations.get(operation), what)
      return inTime(what, seconds, (signal) => resolver(args, contexts.make(what, viewer, signal)))
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
      const fault = new Fault('UNAVAILABLE', `${what} was not answered in ${seconds} s.`)
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
