// `twain start` with the time of a simulation (`virtual-time.ts`), as a process that can be killed.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as realPause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../scripts/free-port.ts'
import { twainCommand } from '../harness/twain-modules.ts'
import { type Command, timeVariable } from './virtual-time.ts'

const preload = `--import=${join(import.meta.dirname, 'virtual-time.ts')} --disable-warning=ExperimentalWarning`
const startPatienceMs = 120_000

export class SimulatedServer {
  /** Milliseconds that have really passed since the simulation began. No jump of the clock changes them. */
  elapsed = 0
  /** The server's clock. */
  wall: number
  output = ''
  readonly #seed: number
  readonly #folder: string
  readonly #flags: readonly string[]
  #port = 0
  #child: ChildProcess | null = null
  #starts = 0
  #commands = 0

  constructor(folder: string, flags: readonly string[], seed: number, wall: number) {
    this.#folder = folder
    this.#flags = flags
    this.#seed = seed
    this.wall = wall
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** `status`: what `/readyz` answers then. */
  async start(status = 200): Promise<void> {
    this.#port ||= await freePort()
    const place = ['--data', join(this.#folder, 'data'), '--port', String(this.#port)]
    const args = [twainCommand, 'start', join(this.#folder, 'schema.graphql'), ...place, ...this.#flags]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env: this.#environment() })
    this.#child = child
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (text) => (this.output = `${this.output}${text}`.slice(-20_000)))
    const until = performance.now() + startPatienceMs
    while (performance.now() < until && child.exitCode === null) {
      const reply = await fetch(`${this.address}/readyz`).catch(() => null)
      await reply?.arrayBuffer()
      if (reply?.status === status) return
      if (reply !== null)
        await this.advance(1000) // what makes it unready may end with time
      else await realPause(20)
    }
    throw new Error(`The server does not start:\n${this.output}`)
  }

  /** `exact`: every timer fires at its time. Otherwise the process is frozen meanwhile. */
  async advance(milliseconds: number, { exact = false, asleep = false, jump = 0 } = {}): Promise<void> {
    const command: Command = { number: ++this.#commands, advance: milliseconds, jump, exact, asleep }
    const child = this.#child!
    const done = new Promise<void>((resolve, reject) => {
      const answered = (number: unknown) => {
        if (number !== command.number) return
        child.off('message', answered).off('exit', ended)
        resolve()
      }
      const ended = () => reject(new Error(`The server ended:\n${this.output}`))
      child.on('message', answered).on('exit', ended)
    })
    child.send(command)
    await done
    this.wall += jump + milliseconds
    this.elapsed += milliseconds
  }

  /** Time passes while no server runs. */
  sleep(milliseconds: number): void {
    this.wall += milliseconds
    this.elapsed += milliseconds
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#child
    this.#child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    if (signal === 'SIGKILL') await ended
    else await this.#passUntil(ended, child)
  }

  /** What the server waits for before it ends has time limits. */
  async #passUntil(ended: Promise<unknown>, child: ChildProcess): Promise<void> {
    const timer = setInterval(() => {
      const command: Command = { number: ++this.#commands, advance: 1000, jump: 0, exact: true, asleep: false }
      if (child.connected) child.send(command, () => {})
      this.sleep(1000)
    }, 200)
    await ended.finally(() => clearInterval(timer))
  }

  /** A token of `twain token`, by the server's clock. */
  async operatorToken(): Promise<string> {
    const args = [twainCommand, 'token', '--role', 'admin', '--data', join(this.#folder, 'data')]
    const { stdout } = await promisify(execFile)(process.execPath, args, { env: this.#environment() })
    return stdout.trim().split('\n').at(-1)!
  }

  #environment(): NodeJS.ProcessEnv {
    const time = `${this.wall},${this.elapsed},${this.#seed} ${this.#starts++}`
    return { ...process.env, NODE_OPTIONS: preload, [timeVariable]: time }
  }
}
