// Signals in a thread beside the main one. Node has no public way: `process.on` does nothing there. The system tells each event
// loop that asks for a signal, so the handle below works in any thread. Where a version of Node has it no more, the watchdog does
// not know of signals, and ends the process by the silence of the main thread alone.

import { createRequire } from 'node:module'
import { constants } from 'node:os'

interface SignalHandle {
  onsignal: () => void
  unref(): void
  start(signal: number): number
}

export function onStopSignals(handle: () => void): void {
  try {
    const { internalBinding } = createRequire(import.meta.url)('internal/test/binding') as {
      internalBinding(name: 'signal_wrap'): { Signal: new () => SignalHandle }
    }
    const { Signal } = internalBinding('signal_wrap')
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
