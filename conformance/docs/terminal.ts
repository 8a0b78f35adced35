// A shell that takes blocks of commands one after another, as a reader pastes them, and keeps its variables. In a background
// terminal a command may go on running; what it prints is collected.

import assert from 'node:assert/strict'
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { twainCommand } from '../harness/twain-modules.ts'

const root = join(import.meta.dirname, '../..')

/** Enough for `npm install` on a busy machine. */
const commandSeconds = 180

/** curl writes the status of each reply to stderr. */
const commonPrelude = `
curl() { command curl -w '%{stderr}\\nstatus %{http_code}\\n' "$@"; }
`

/** For a folder of the clone: `npx` without npm, which takes half a second each time. */
export const clonePrelude = `
npm() { if [ "$1" = start ]; then cd "${root}" && ${startCommand()}; fi; }
npx() { local command="$1"; shift; if [ "$command" = twain ]; then "${process.execPath}" "${twainCommand}" "$@"; else "${join(root, 'node_modules/.bin')}/$command" "$@"; fi; }
`

/** `npm start`, with its data in the folder of the page. */
function startCommand(): string {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
  return scripts.start.replace('--data examples/blog/data', '--data "$OLDPWD/data"')
}

export interface Printed {
  stdout: string
  statuses: number[]
}

export interface TerminalOptions {
  env: Record<string, string>
  /** Commands that a terminal runs first: functions in the place of programs. */
  prelude: string
}

export class Terminal {
  readonly #shell: ChildProcessWithoutNullStreams
  /** Where its commands have led. */
  folder: string
  #stdout = ''
  #stderr = ''

  constructor(folder: string, { env, prelude }: TerminalOptions) {
    this.folder = folder
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd: folder, env: { ...process.env, ...env } })
    this.#shell.stdout.setEncoding('utf8').on('data', (text) => (this.#stdout += text))
    this.#shell.stderr.setEncoding('utf8').on('data', (text) => (this.#stderr += text))
    this.#shell.stdin.write(commonPrelude + prelude)
  }

  /** Resolves when all commands have ended; they must succeed. */
  async run(commands: string): Promise<Printed> {
    const end = `end-${randomUUID()}`
    this.#stdout = ''
    this.#stderr = ''
    const say = `{ printf '\\n%s %s %s\\n' ${end} $? "$PWD"; printf '\\n${end}\\n' >&2; }`
    this.#shell.stdin.write(`${commands.trimEnd()}\n${say}\n`)
    const endLine = new RegExp(`\\n${end} (\\d+) (.*)\\n$`)
    const deadline = performance.now() + commandSeconds * 1000
    while (!endLine.test(this.#stdout) || !this.#stderr.endsWith(`${end}\n`)) {
      const isLate = performance.now() > deadline || this.#shell.exitCode !== null
      assert.ok(!isLate, `This does not end, or ends the shell:\n${commands}\n${this.#stdout}\n${this.#stderr}`)
      await pause(5)
    }
    const [, code, folder] = endLine.exec(this.#stdout)!
    assert.equal(code, '0', `${commands}\n${this.#stdout}\n${this.#stderr}`)
    this.folder = folder!
    const statuses = [...this.#stderr.matchAll(/^status (\d+)$/gm)].map(([, status]) => Number(status))
    return { stdout: this.#stdout.replace(endLine, ''), statuses }
  }

  async close(): Promise<void> {
    if (this.#shell.exitCode !== null) return
    const ended = once(this.#shell, 'exit')
    this.#shell.kill('SIGKILL')
    await ended
  }
}

export class BackgroundTerminal {
  readonly #options: TerminalOptions
  #process: ChildProcess | null = null
  #printed = ''

  constructor(options: TerminalOptions) {
    this.#options = options
  }

  /** What still runs here is stopped first, as by Ctrl-C. */
  async run(commands: string, folder: string): Promise<void> {
    await this.stop()
    this.#printed = ''
    const { env, prelude } = this.#options
    const child = spawn('bash', ['--noprofile', '--norc', '-c', `${commonPrelude}${prelude}\n${commands}`], {
      cwd: folder,
      env: { ...process.env, ...env },
      detached: true, // a group of its own, as a terminal has one: Ctrl-C reaches all of it
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#process = child
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.#printed += text))
    }
  }

  get printed(): string {
    return this.#printed
  }

  get isRunning(): boolean {
    return this.#process !== null && this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Until `isThere` no longer throws; clears what was printed. */
  async expect(isThere: (printed: string) => void, seconds = 30): Promise<void> {
    const deadline = performance.now() + seconds * 1000
    for (;;) {
      try {
        isThere(this.#printed)
        this.#printed = ''
        return
      } catch (error) {
        if (performance.now() > deadline) throw error
      }
      await pause(20)
    }
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return
    const child = this.#process!
    const ended = once(child, 'exit')
    process.kill(-child.pid!, 'SIGINT')
    await ended
  }
}
