// A child process of the benchmark. The benchmark starts it, reads its CPU and memory usage, and ends it by its id.

import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface MeterReading {
  kind: 'reading'
  /** Microseconds of CPU time since the process began, in all its threads. */
  cpu: number
  /** Resident bytes. */
  memory: number
}

export interface LoadResult {
  answers: number
  /** 99 of 100 responses took at most so many milliseconds. */
  p99: number
}

/** The parts of a profile of V8 that the benchmark reads. */
export interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number }; children?: number[] }[]
  samples: number[]
  /** µs before each sample. */
  timeDeltas: number[]
}

/** The period of a CPU share in milliseconds: longer than the time slices of the system. */
const period = 40

export class MeasuredProcess {
  readonly #child: ChildProcess
  #output = ''

  /** `nodeFlags` are those of Node itself. */
  constructor(module: string, args: string[], nodeFlags: string[] = []) {
    this.#child = fork(module, args, {
      execArgv: [...nodeFlags, '--import', join(import.meta.dirname, 'meter.js')],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => (this.#output = `${this.#output}${chunk}`.slice(-10_000))) // a log entry for each request
    }
  }

  /** Its last output, for errors. */
  get said(): string {
    return this.#output
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  async read(): Promise<MeterReading> {
    this.#child.send('read')
    return this.#message<MeterReading>('reading')
  }

  /** Profiles the main thread of the process while `work` runs. */
  async profile(work: () => Promise<unknown>): Promise<CpuProfile> {
    const begun = this.#message('profiling')
    this.#child.send('profile')
    await begun
    await work()
    const ended = this.#message<{ profile: CpuProfile }>('profile')
    this.#child.send('end of profile')
    return (await ended).profile
  }

  /** The port that the process reports. */
  async port(): Promise<number> {
    return (await this.#message<{ port: number }>('listening')).port
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** For the load process: sends the order and waits until it is done. */
  async carryOut(order: object): Promise<LoadResult> {
    this.#child.send(order)
    return this.#message<LoadResult>('done')
  }

  /** Limits the process to a share of a core until the returned function is called. */
  holdTo(share: number): () => void {
    const kill = (signal: NodeJS.Signals) => this.ended || this.#child.kill(signal)
    let pause: NodeJS.Timeout
    const run = () => {
      kill('SIGCONT')
      pause = setTimeout(() => kill('SIGSTOP'), period * share)
    }
    const turns = setInterval(run, period)
    const release = () => {
      clearInterval(turns)
      clearTimeout(pause)
      kill('SIGCONT')
      process.off('exit', release)
    }
    process.on('exit', release) // one that is stopped could not end by itself
    return release
  }

  async stop(): Promise<void> {
    if (this.ended) return
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
  }

  #message<T>(kind: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error(`The process ended early:\n${this.#output}`))
      const onMessage = (message: unknown) => {
        if ((message as { kind?: string }).kind !== kind) return
        this.#child.off('message', onMessage)
        this.#child.off('exit', onExit)
        resolve(message as T)
      }
      this.#child.on('message', onMessage)
      this.#child.once('exit', onExit)
    })
  }
}
