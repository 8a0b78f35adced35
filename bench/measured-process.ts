// A child process of the bench: started, asked for its use of CPU and memory, ended by its own id.

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

/** Milliseconds in which a share is counted: longer than the turns of the system's own. */
const period = 40

export class MeasuredProcess {
  readonly #child: ChildProcess
  #said = ''

  constructor(module: string, args: string[]) {
    this.#child = fork(module, args, {
      execArgv: ['--import', join(import.meta.dirname, 'meter.js')],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => (this.#said = `${this.#said}${chunk}`.slice(-10_000))) // a line for each request
    }
  }

  /** What it has printed last, for errors. */
  get said(): string {
    return this.#said
  }

  get ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  async read(): Promise<MeterReading> {
    this.#child.send('read')
    return this.#message<MeterReading>('reading')
  }

  /** The port that the floor says it listens on. */
  async port(): Promise<number> {
    return (await this.#message<{ port: number }>('listening')).port
  }

  /** The load process: sends the order, and waits until it is carried out. */
  async carryOut(order: object): Promise<number> {
    this.#child.send(order)
    return (await this.#message<{ answers: number }>('done')).answers
  }

  /** From now on it runs for a share of the time only, as if it had so much of a core; until what is given back is called. */
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
      const onExit = () => reject(new Error(`The process ended early:\n${this.#said}`))
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
