// Runs the comparison of two schemas in a thread, for a limited time and with limited memory. A thread takes some tenths of a second to
// load its modules, so it waits a while for the next comparison.

import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { ApiError } from '#base'
import { clearTimeout, setTimeout } from '#base/time'
import type { CompareOutcome, CompareTask } from './compare-thread.ts'

/** A schema of 500 types took three on a busy machine. */
const maxSeconds = 20
/** No more than half of what the server itself may have: a small container must not end because of it. */
const maxMegabytes = Math.min(512, Math.floor(getHeapStatistics().heap_size_limit / 2 / 1_048_576))
const idleMs = 30_000

let idle: { thread: Worker; timer: NodeJS.Timeout } | null = null

export function compareTexts(task: CompareTask): Promise<CompareOutcome> {
  const thread = takeThread()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => fail(tooComplex(`takes more than ${maxSeconds} seconds`)), maxSeconds * 1000)
    const fail = (error: Error) => {
      clearTimeout(timer)
      stopListening(thread)
      thread.on('error', () => {}) // it is being stopped
      void thread.terminate()
      reject(error)
    }
    thread.once('message', (outcome: CompareOutcome) => {
      clearTimeout(timer)
      stopListening(thread)
      returnThread(thread)
      resolve(outcome)
    })
    thread.once('error', (error: Error & { code?: string }) => {
      const isTooLarge = error.code === 'ERR_WORKER_OUT_OF_MEMORY' || error.name === 'RangeError'
      fail(isTooLarge ? tooComplex('needs too much memory') : error)
    })
    thread.once('exit', () => fail(new Error('the thread that compares schemas ended without an answer')))
    thread.postMessage(task)
  })
}

function takeThread(): Worker {
  if (idle === null) {
    const resourceLimits = { maxOldGenerationSizeMb: maxMegabytes }
    return new Worker(new URL('./compare-thread.ts', import.meta.url), { resourceLimits })
  }
  const { thread, timer } = idle
  idle = null
  clearTimeout(timer)
  stopListening(thread)
  thread.ref()
  return thread
}

/** An idle thread does not keep the process alive. */
function returnThread(thread: Worker): void {
  if (idle !== null) {
    void thread.terminate()
    return
  }
  const forget = () => {
    if (idle?.thread === thread) idle = null
  }
  const timer = setTimeout(() => {
    forget()
    void thread.terminate()
  }, idleMs)
  timer.unref()
  thread.unref()
  thread.once('error', forget)
  thread.once('exit', forget)
  idle = { thread, timer }
}

/** Each by its name: the thread has listeners of its own. */
function stopListening(thread: Worker): void {
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event)
}

function tooComplex(why: string): ApiError {
  return new ApiError('BAD_REQUEST', `The comparison of this schema ${why}.`, {
    hint: 'twain check --against compares schemas of any size.',
  })
}
