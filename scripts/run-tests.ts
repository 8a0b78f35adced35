// Runs test files in processes (`test-processes.ts`), a few at a time.
//
// A process that passes is one line of output, a process that fails is all it printed; at the end come the failed and the slowest.
// All processes share one PostgreSQL server: that of TWAIN_TEST_POSTGRES, or one that is started here.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { buildForTests } from './build/build-for-tests.ts'
import { type CpuTime, cpuTimeSince, readCpuTime } from './cpu-time.ts'
import { memoryFolder } from './memory-folder.ts'
import { startPostgres } from './start-postgres.ts'
import type { StoreName, TestFile } from './test-files.ts'
import type { FileTime } from './test-group.ts'
import { nameOf, type TestProcess, toProcesses } from './test-processes.ts'
import { type NamedTime, printTimes } from './test-times.ts'

export interface TestRun {
  files: TestFile[]
  env: Record<string, string>
  /** After so many minutes the run ends, and what has not passed has failed. */
  limitMinutes: number
  /** All output of all processes. */
  verbose: boolean
  /** Whether to print the CPU time of each file at the end. */
  times?: boolean
}

interface Outcome {
  name: string
  passed: boolean
  seconds: number
  counts: Record<string, number>
  times: NamedTime[]
}

const root = join(import.meta.dirname, '..')

/** A single test that takes longer fails, unless it sets a limit of its own. */
const testTimeoutMs = 240_000

/** A process that takes longer is killed. `end-hung-tests.ts` ends it a little earlier, and prints what it still waits for. */
const processLimitMinutes = 20

// About half of the processes wait at any time: for a commit, a lock, a timer, a process that they have killed.
const concurrency = availableParallelism() + 2

/** Whether all tests passed. */
export async function runTests({ files, env, limitMinutes, verbose, times = false }: TestRun): Promise<boolean> {
  const began = performance.now()
  const queue = toProcesses(files)
  const total = queue.length
  // A single process starts a server itself, if it needs one, and commands from the sources.
  const [postgres, modules] = total > 1 ? await Promise.all([startPostgres(), buildForTests()]) : [null, null]
  const running = new Set<AbortController>()
  let late = false
  const limit = setTimeout(() => {
    late = true
    for (const process of running) process.abort()
  }, limitMinutes * 60_000)

  const shared = {
    TMPDIR: memoryFolder(),
    ...(postgres && { TWAIN_TEST_POSTGRES: postgres.address }),
    ...(modules && { TWAIN_TEST_MODULES: modules }),
    ...env,
  }
  const outcomes: Outcome[] = []
  const work = async () => {
    for (let next = queue.shift(); next !== undefined && !late; next = queue.shift()) {
      const abort = new AbortController()
      running.add(abort)
      outcomes.push(await runProcess(next, shared, abort, verbose || total === 1))
      running.delete(abort)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  clearTimeout(limit)
  const beforeStop = readCpuTime()
  await postgres?.stop()
  const server: CpuTime = { ownSeconds: 0, childSeconds: cpuTimeSince(beforeStop).childSeconds }

  if (times) printTimes([...outcomes.flatMap((one) => one.times), { name: 'the PostgreSQL server', time: server }])
  report(outcomes, (performance.now() - began) / 1000)
  if (late) console.log(`✖ ended after ${limitMinutes} minutes; ${total - outcomes.length} of ${total} were not begun`)
  return !late && outcomes.every(({ passed }) => passed)
}

async function runProcess(
  { name, paths, store, isAlone }: TestProcess,
  env: Record<string, string>,
  abort: AbortController,
  verbose: boolean,
): Promise<Outcome> {
  const began = performance.now()
  const flags = ['--test-reporter=spec', `--test-timeout=${testTimeoutMs}`, '--disable-warning=ExperimentalWarning']
  const child = spawn(process.execPath, [...flags, join(import.meta.dirname, 'test-group.ts'), ...paths], {
    cwd: root,
    env: {
      ...process.env,
      TWAIN_TEST_TIMES: '3', // the index of the last pipe below
      TWAIN_TEST_LIMIT_MINUTES: String(processLimitMinutes - 0.5),
      // Processes share compiled code, which saves most of their start.
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node'),
      TWAIN_TEST_STORE: store,
      TWAIN_TEST_PASSWORDS: isAlone ? 'as stored' : 'quick',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    signal: abort.signal,
    killSignal: 'SIGKILL',
  })
  child.on('error', () => {}) // that it was aborted
  const limit = setTimeout(() => abort.abort(), processLimitMinutes * 60_000)
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.setEncoding('utf8').on('data', (part) => (output += part))
  let written = ''
  const pipe = child.stdio[3] as Readable
  pipe.setEncoding('utf8').on('data', (part) => (written += part))
  const code = await ended(child)
  clearTimeout(limit)

  const seconds = (performance.now() - began) / 1000
  const counts = readCounts(output)
  // A process that ends with 0 before its tests have ended prints no counts.
  const passed = code === 0 && counts.tests !== undefined
  if (verbose || !passed) process.stdout.write(`\n▸ ${name}\n${output}`)
  const skipped = counts.skipped ? `, ${counts.skipped} skipped` : ''
  console.log(`${passed ? '✔' : '✖'} ${name} (${seconds.toFixed(1)} s, ${counts.tests ?? 'no'} tests${skipped})`)
  return { name, passed, seconds, counts, times: namedTimes(name, store, written) }
}

/** The exit code of a process, after its output. A process that outlives it can hold its pipes open: nobody waits for that. */
async function ended(child: ChildProcess): Promise<number | null> {
  const closed = once(child, 'close')
  const [code] = await Promise.race([once(child, 'exit'), closed]) // of one that did not start there is no exit
  await Promise.race([closed, pause(5000, undefined, { ref: false })])
  for (const stream of child.stdio) stream?.destroy()
  return code
}

/** A row for each file, and one for what the process took beside them. */
function namedTimes(processName: string, store: StoreName, written: string): NamedTime[] {
  const times = written
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as FileTime)
  const ofFiles = times.filter(({ path }) => path !== null)
  const whole = times.find(({ path }) => path === null)?.time
  const sum = (key: keyof CpuTime) => ofFiles.reduce((total, { time }) => total + time[key], 0)
  return [
    ...ofFiles.map(({ path, time }) => ({ name: nameOf(path!, store), time })),
    ...(whole === undefined
      ? []
      : [
          {
            name: `loading: ${processName}`,
            time: {
              ownSeconds: whole.ownSeconds - sum('ownSeconds'),
              childSeconds: whole.childSeconds - sum('childSeconds'),
            },
          },
        ]),
  ]
}

/** From the last lines of Node's reporter: `ℹ tests 20`. */
function readCounts(output: string): Record<string, number> {
  return Object.fromEntries([...output.matchAll(/^ℹ (\w+) (\d+)$/gm)].map(([, name, count]) => [name!, Number(count)]))
}

function report(outcomes: Outcome[], seconds: number): void {
  const sum = (name: string) => outcomes.reduce((total, { counts }) => total + (counts[name] ?? 0), 0)
  console.log('\nslowest:')
  for (const { name, seconds } of outcomes.toSorted((one, other) => other.seconds - one.seconds).slice(0, 10))
    console.log(`  ${seconds.toFixed(1).padStart(5)} s  ${name}`)
  const failed = outcomes.filter(({ passed }) => !passed)
  const time = `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`
  console.log(
    `\n${sum('tests')} tests in ${time}: ${sum('pass')} passed, ${sum('skipped')} skipped, ${sum('fail')} failed`,
  )
  for (const { name } of failed) console.log(`✖ ${name}`)
}
