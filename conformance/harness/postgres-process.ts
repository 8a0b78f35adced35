// A PostgreSQL server that can be stopped and started again with the same rows and port (`scripts/postgres.ts`). It syncs to disk, so
// that acknowledged writes survive its end.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const script = join(import.meta.dirname, '../../scripts/postgres.ts')

/** A clean shutdown; and the immediate one when a process of the server crashes. */
export type Ending = 'SIGINT' | 'SIGQUIT'

export class PostgresProcess {
  readonly address: string
  readonly #child: ChildProcess
  readonly #output: AsyncIterator<string>

  static async start(flags: string[] = ['--durable']): Promise<PostgresProcess> {
    const child = spawn(process.execPath, [script, ...flags], { stdio: ['pipe', 'pipe', 'inherit'] })
    const output = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
    return new PostgresProcess(child, output, await nextOf(output))
  }

  private constructor(child: ChildProcess, output: AsyncIterator<string>, address: string) {
    this.#child = child
    this.#output = output
    this.address = address
  }

  stopServer(ending: Ending): Promise<string> {
    return this.#command(`stop ${ending}`)
  }

  /** Resolves when it accepts connections. */
  startServer(): Promise<string> {
    return this.#command('start')
  }

  /** Restarts it with a streaming replica; returns the address of the replica. */
  startStandby(): Promise<string> {
    return this.#command('standby')
  }

  endStandby(): Promise<string> {
    return this.#command('end standby')
  }

  async end(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.stdin!.end()
    await ended
  }

  #command(line: string): Promise<string> {
    this.#child.stdin!.write(`${line}\n`)
    return nextOf(this.#output)
  }
}

async function nextOf(output: AsyncIterator<string>): Promise<string> {
  const line = await output.next()
  if (line.done === true) throw new Error('PostgreSQL has ended.')
  return line.value
}
