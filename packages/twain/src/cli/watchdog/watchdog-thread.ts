// The thread of the watchdog. It ends the process with SIGKILL, because no other signal ends a main thread that loops. What was
// acknowledged is on disk.
//
// 1. The main thread may be silent for `hangMs`. After a signal it has `drainMs`, at the end of which it ends the process itself if
//    it can. A second signal ends a process at once whose main thread is silent.
// 2. The log entry names the code that began last, and where the main thread is: the inspector can stop it in the middle of a loop.
// 3. Nothing here may need the main thread: standard error of threads goes through it, so the entry is written to the file itself.

import { writeSync } from 'node:fs'
import { type Debugger, Session } from 'node:inspector'
import { parentPort, workerData } from 'node:worker_threads'
import { monotonicTime, setInterval, sleep } from '#base/time'
import { humanLog, jsonLog } from '../report/log.ts'
import { createPaint } from '../report/paint.ts'
import { beatAt, codeAt, debuggedAt, type WatchdogData } from './sign.ts'
import { endProcess, onStopSignals } from './signals.ts'
import { lookMs, Silence } from './silence.ts'

const { sign: shared, names, hangMs, drainMs, isJson } = workerData as WatchdogData

/** A main thread that handles events ends the process itself in this time after `drainMs`. */
const graceMs = 2000
/** Without other limits, how long the main thread may be silent after a signal. */
const stopMs = 5000
/** Signals within this time count as one (`report/terminal.ts`). */
const sameSignalMs = 500
/** How long the inspector may need. */
const pauseMs = 2000

const sign = new Int32Array(shared)
const silence = new Silence(monotonicTime())
/** When the first signal came, and how much time counts since; null: none did. */
let signalledAt: number | null = null
let stoppingMs = 0
let isEnding = false

parentPort!.on('message', (name: string) => names.push(name)).unref()
onStopSignals(signalled)
setInterval(look, lookMs)

function look(): void {
  const passed = silence.look(monotonicTime(), Atomics.load(sign, beatAt), sign[debuggedAt] === 1)
  if (signalledAt !== null) stoppingMs += passed
  if (isOver()) void end()
}

function isOver(): boolean {
  if (sign[debuggedAt] === 1) return false
  if (hangMs > 0 && silence.milliseconds >= hangMs) return true
  if (signalledAt === null) return false
  if (drainMs > 0) return stoppingMs >= drainMs + (silence.milliseconds < lookMs ? graceMs : 0)
  return stoppingMs >= stopMs && silence.milliseconds >= stopMs
}

function signalled(): void {
  const now = monotonicTime()
  signalledAt ??= now
  if (now - signalledAt > sameSignalMs && silence.milliseconds >= lookMs) void end()
}

async function end(): Promise<void> {
  if (isEnding) return
  isEnding = true
  const name = names[sign[codeAt]!]
  const write = (text: string) => void writeSync(2, text)
  const log = isJson ? jsonLog(write) : humanLog(write, createPaint(false))
  try {
    const stack = await Promise.race([mainStack(), sleep(pauseMs)])
    log.error(
      {
        ...(name !== undefined && name !== '' && { 'code.function.name': name }),
        ...(typeof stack === 'string' && { 'code.stacktrace': stack }),
        seconds: Math.round(silence.milliseconds / 1000),
      },
      signalledAt === null
        ? 'custom code held the server, which answered nothing: the process was ended'
        : 'custom code held the server after a stop signal: the process was ended',
    )
  } finally {
    endProcess()
  }
}

/** Where the main thread is. Never resolves if it waits in a system call. */
function mainStack(): Promise<string> {
  return new Promise((resolve) => {
    const session = new Session()
    const urls = new Map<string, string>()
    session.connectToMainThread()
    session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url))
    session.once('Debugger.paused', ({ params }) =>
      resolve(params.callFrames.map((frame) => describeFrame(frame, urls)).join('\n')),
    )
    session.post('Debugger.enable', () => session.post('Debugger.pause'))
  })
}

function describeFrame({ functionName, location }: Debugger.CallFrame, urls: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location
  return `at ${functionName || '<anonymous>'} (${urls.get(scriptId)}:${lineNumber + 1}:${columnNumber + 1})`
}
