// `twain start` as a process of its own, on a port of 127.0.0.1 and a folder of its own; ended by its process id only.

import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import { mutableTwainCommand, twainCommand } from './twain-modules.ts'

export class ServerProcess {
  readonly address: string
  readonly #launch: () => ChildProcess
  #child: ChildProcess
  #output = ''

  private constructor(launch: () => ChildProcess, port: number) {
    this.#launch = launch
    this.#child = this.#spawned()
    this.address = `http://127.0.0.1:${port}`
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Its output so far. */
  get output(): string {
    return this.#output
  }

  /** Resolves when it is ready. Requests have no quota, unless `limits` sets one. */
  static async start(
    schemaFile: string,
    data: string,
    more: string[] = [],
    limits = ['--limits-requests-per-minute', '0'],
    env: Record<string, string> = {},
    /** The limit for its start. */
    seconds = 60,
  ): Promise<ServerProcess> {
    const port = await freePort()
    const command = env.NODE_OPTIONS?.includes('--import') ? mutableTwainCommand : twainCommand
    const args = [command, 'start', schemaFile, '--data', data, '--port', String(port), ...limits, ...more]
    const options: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } }
    const server = new ServerProcess(() => spawn(process.execPath, args, options), port)
    await server.#ready(seconds)
    return server
  }

  /** Starts it again on the same port and data, after it has ended. */
  async startAgain(seconds = 60): Promise<void> {
    this.#child = this.#spawned()
    await this.#ready(seconds)
  }

  #spawned(): ChildProcess {
    const child = this.#launch()
    child.stdout?.on('data', (chunk) => (this.#output += chunk))
    child.stderr?.on('data', (chunk) => (this.#output += chunk))
    return child
  }

  async #ready(seconds: number): Promise<void> {
    const deadline = performance.now() + seconds * 1000
    while (performance.now() < deadline && this.#child.exitCode === null) {
      const reply = await fetch(`${this.address}/readyz`).catch(() => null)
      if (reply?.status === 200) return
      await pause(20)
    }
    await this.kill()
    throw new Error(`twain start does not answer:\n${this.#output}`)
  }

  /** Ends it without warning, as a power cut would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  /** Sends a signal, and does not wait for the end. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves when it has ended, with the exit code, or the signal that ended it. */
  async ended(): Promise<number | NodeJS.Signals | null> {
    const { exitCode, signalCode } = this.#child
    if (exitCode === null && signalCode === null) await once(this.#child, 'exit')
    return this.#child.exitCode ?? this.#child.signalCode
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    await ended
  }
}
