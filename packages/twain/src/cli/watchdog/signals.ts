// Signals in a thread beside the main one. Node has no public way: `process.on` does nothing there, and `process.abort` throws. The
// system tells each event loop that asks for a signal, so the handle below works in any thread. Where a version of Node has these
// bindings no more, the watchdog does not know of signals, and ends the process by the silence of the main thread alone.

import { createRequire } from 'node:module'
import { constants } from 'node:os'

interface SignalHandle {
  onsignal: () => void
  unref(): void
  start(signal: number): number
}

interface Bindings {
  signal_wrap: { Signal: new () => SignalHandle }
  process_methods: { abort(): void }
}

export function onStopSignals(handle: () => void): void {
  try {
    const { Signal } = binding('signal_wrap')
    for (const signal of [constants.signals.SIGTERM, constants.signals.SIGINT, constants.signals.SIGHUP]) {
      const one = new Signal()
      one.onsignal = handle
      one.unref()
      one.start(signal)
    }
  } catch {
    // see above
  }
}

/** Ends the process at once. The first process of a container ignores the SIGKILL that it sends itself (`pid_namespaces(7)`), and the
 *  signal of `abort(3)` too; then that runs an instruction that no process survives. */
export function endProcess(): void {
  process.kill(process.pid, 'SIGKILL')
  binding('process_methods').abort()
}

function binding<Name extends keyof Bindings>(name: Name): Bindings[Name] {
  const { internalBinding } = createRequire(import.meta.url)('internal/test/binding') as {
    internalBinding(name: Name): Bindings[Name]
  }
  return internalBinding(name)
}
