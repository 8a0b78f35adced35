// Writer threads. A thread takes a few tenths of a second to load its modules, so a closed store leaves it to the next one: when
// `twain dev` serves a changed schema, and between the stores of tests.

import { Worker } from 'node:worker_threads'

const maxIdle = 4
const idle = new Set<Worker>()

/** A thread without a file: an idle one, or one that begins to load. */
export function takeWriterThread(): Worker {
  for (const thread of idle) {
    idle.delete(thread)
    thread.removeAllListeners('exit')
    thread.ref()
    return thread
  }
  return new Worker(new URL('./writer-thread.ts', import.meta.url))
}

/** Takes a thread back that has closed its file. An idle thread does not keep the process alive. */
export function returnWriterThread(thread: Worker): void {
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event)
  if (idle.size >= maxIdle) {
    thread.terminate()
    return
  }
  thread.unref()
  thread.once('exit', () => idle.delete(thread))
  idle.add(thread)
}
