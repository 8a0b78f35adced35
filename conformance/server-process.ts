// `twain start` as a process of its own, on a port of 127.0.0.1 and a folder of its own; ended by its own id only.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../scripts/free-port.ts'

const command = join(import.meta.dirname, '../packages/twain/bin/twain.js')

export class ServerProcess {
  readonly address: string
  readonly #child: ChildProcess
  #said = ''

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.address = `http://127.0.0.1:${port}`
    child.stdout?.on('data', (chunk) => (this.#said += chunk))
    child.stderr?.on('data', (chunk) => (this.#said += chunk))
  }

  /** All that it has printed so far. */
  get said(): string {
    return this.#said
  }

  /** Resolves when it is ready to answer. What a test asks is not counted, unless it says so by `limits`. */
  static async start(
    schemaFile: string,
    data: string,
    more: string[] = [],
    limits = ['--limits-rate', '0'],
    env: Record<string, string> = {},
    /** That it may take until it is ready. */
    seconds = 20,
  ): Promise<ServerProcess> {
    const port = await freePort()
    const args = [command, 'start', schemaFile, '--data', data, '--port', String(port), ...limits, ...more]
    const server = new ServerProcess(
      spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } }),
      port,
    )
    const deadline = performance.now() + seconds * 1000
    while (performance.now() < deadline && server.#child.exitCode === null) {
      const reply = await fetch(`${server.address}/readyz`).catch(() => null)
      if (reply?.status === 200) return server
      await pause(10)
    }
    await server.kill()
    throw new Error(`twain start does not answer:\n${server.#said}`)
  }

  /** As a power cut would: no word of warning. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL')
  }

  async stop(): Promise<void> {
    await this.#end('SIGTERM')
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    await ended
  }
}
