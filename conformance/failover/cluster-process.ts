// A program of the cluster as a process, which can be killed, frozen and started again. PostgreSQL and Patroni refuse to run as root,
// so all of them run as another account then.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Programs } from './packages.ts'

export const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}

export interface ClusterProgram {
  command: string
  args: string[]
  folder: string
  logFile: string
  programs: Programs
}

export class ClusterProcess {
  readonly #program: ClusterProgram
  #child: ChildProcess

  constructor(program: ClusterProgram) {
    this.#program = program
    this.#child = launch(program)
  }

  get pid(): number {
    return this.#child.pid!
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  signal(signal: NodeJS.Signals): void {
    if (this.isRunning) this.#child.kill(signal)
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    if (!this.isRunning) return
    const ended = once(this.#child, 'exit')
    this.#child.kill(signal)
    await ended
  }

  startAgain(): void {
    if (!this.isRunning) this.#child = launch(this.#program)
  }
}

function launch({ command, args, folder, logFile, programs }: ClusterProgram): ChildProcess {
  const log = openSync(logFile, 'a')
  try {
    return spawn(command, args, { ...account, cwd: folder, env: programs.env, stdio: ['ignore', log, log] })
  } finally {
    closeSync(log)
  }
}

/** The process and all its descendants. */
export function processTree(pid: number): number[] {
  const children = new Map<number, number[]>()
  for (const line of execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')) {
    const [id, parent] = line.trim().split(/\s+/).map(Number) as [number, number]
    children.set(parent, [...(children.get(parent) ?? []), id])
  }
  const found = [pid]
  for (const one of found) found.push(...(children.get(one) ?? []))
  return found
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
}
