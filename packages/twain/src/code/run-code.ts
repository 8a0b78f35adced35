// Runs the service's own code for the engine. Each call has its time; what it does not answer in it is a failure of its field
// alone, and its context is told so.

import { Fault, type Log } from '#base'
import type { OwnCode } from '#engine'
import type { BoundCode } from './bind-code.ts'
import { contextFor } from './context.ts'

/** `seconds` is how long a call may take; 0: as long as it likes. */
export function runCode({ computed }: BoundCode, seconds: number, log: Log): OwnCode {
  return {
    async compute(field, rows, args, viewer) {
      const what = `${field.owner.name}.${field.name}`
      const resolver = computed.get(field)
      if (resolver === undefined) throw new Error(`${what} has no resolver`)
      const values = await inTime(what, seconds, (signal) => resolver(rows, args, contextFor(viewer, log, signal)))
      if (!Array.isArray(values)) throw new Error(`the resolver of ${what} gave no list`)
      if (values.length !== rows.length) {
        throw new Error(`the resolver of ${what} was given ${rows.length} rows and gave ${values.length} values`)
      }
      return values
    },
  }
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
