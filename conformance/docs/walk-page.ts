// Takes the steps of a page, in a folder of its own that finds the packages of this repository, as a folder of the clone does.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type DefinitionNode, parse } from 'graphql'
import { freePort } from '../../scripts/free-port.ts'
import { matchOutput } from './match-output.ts'
import type { Step } from './page-steps.ts'
import { BackgroundTerminal, clonePrelude, type Printed, Terminal, type TerminalOptions } from './terminal.ts'

const shownAddress = 'http://127.0.0.1:4000'
/** The ports that pages name: the server, a second one, the page of Vite, a receiver of webhooks. */
const shownPorts = ['4000', '4001', '5173', '9999'] as const
export const shownDatabase = /postgres:\/\/\w+:secret@127\.0\.0\.1\/(\w+)/g

export interface WalkOptions {
  folder: string
  /** For pages that name a `shownDatabase`: the address of a database here, and a way to run SQL beside it. */
  postgres: { addressOf(name: string): string; run(sql: string): Promise<void> } | null
  /** What the terminals run first; by default that of a folder in the clone. */
  prelude?: string
  /** For each `visit` of the page. `local` makes an address of the page one of this run. */
  visits?: Record<string, (local: (text: string) => string, folder: string) => Promise<void>>
}

export async function walkPage(steps: readonly Step[], options: WalkOptions): Promise<void> {
  const ports = new Map<string, string>()
  for (const shown of shownPorts) ports.set(shown, String(await freePort()))
  const walk = new Walk(options, ports)
  try {
    for (const step of steps) await walk.take(step)
    walk.expectNoRefusal()
  } finally {
    await walk.end()
  }
}

class Walk {
  readonly #options: WalkOptions
  readonly #ports: ReadonlyMap<string, string>
  readonly #main: Terminal
  readonly #others = new Map<string, BackgroundTerminal>()
  readonly #terminals: TerminalOptions
  #printed: Printed & { from: string } = { stdout: '', statuses: [], from: '' }

  constructor(options: WalkOptions, ports: ReadonlyMap<string, string>) {
    this.#options = options
    this.#ports = ports
    const env = { TWAIN_PORT: ports.get('4000')!, PAGE_PORT: ports.get('5173')! }
    this.#terminals = { env, prelude: options.prelude ?? clonePrelude }
    this.#main = new Terminal(options.folder, this.#terminals)
  }

  async take(step: Step): Promise<void> {
    if (step.kind !== 'output') this.expectNoRefusal()
    switch (step.kind) {
      case 'file':
        return this.#write(step.name, step.text)
      case 'definitions':
        return this.#write(step.name, mergeDefinitions(readFileSync(this.#path(step.name), 'utf8'), step.text))
      case 'operation':
        return this.#send(step.text)
      case 'commands':
        return step.terminal === null ? this.#run(step.text) : this.#start(step.terminal, step.text)
      case 'sql':
        return this.#options.postgres!.run(step.text)
      case 'visit':
        return this.#visit(step.name)
      case 'output':
        return this.#compare(step)
    }
  }

  /** A reply that is no success must be shown as what it is. */
  expectNoRefusal(): void {
    const refused = this.#printed.statuses.filter((status) => status < 200 || status > 399)
    assert.deepEqual(refused, [], `${this.#printed.from}\n${this.#printed.stdout}`)
  }

  async end(): Promise<void> {
    await Promise.all([...this.#others.values()].map((terminal) => terminal.stop()))
    await this.#main.close()
  }

  #path(name: string): string {
    return join(this.#main.folder, name)
  }

  #write(name: string, text: string): void {
    mkdirSync(dirname(this.#path(name)), { recursive: true })
    writeFileSync(this.#path(name), this.#local(text))
  }

  /** With the ports and databases of this run. */
  #local(text: string): string {
    const local = text.replace(/(?<=127\.0\.0\.1:|--port |listen\()\d{4}\b/g, (port) => this.#ports.get(port) ?? port)
    const { postgres } = this.#options
    return postgres === null ? local : local.replace(shownDatabase, (_, name) => `'${postgres.addressOf(name)}'`)
  }

  /** With the ports of the page. */
  #asShown(printed: string): string {
    let shown = printed
    for (const [port, own] of this.#ports) shown = shown.replaceAll(`127.0.0.1:${own}`, `127.0.0.1:${port}`)
    return shown
  }

  async #visit(name: string): Promise<void> {
    const visit = this.#options.visits?.[name]
    assert.ok(visit, `The test of the page has no visit "${name}".`)
    await visit((text) => this.#local(text), this.#main.folder)
  }

  async #run(text: string): Promise<void> {
    this.#printed = { ...(await this.#main.run(this.#local(text))), from: text }
  }

  async #send(document: string): Promise<void> {
    this.#write('.operation.json', JSON.stringify({ query: document }))
    await this.#run(`curl -s ${shownAddress}/graphql \${A:+-H "$A"} --json @.operation.json`)
  }

  async #start(name: string, text: string): Promise<void> {
    const terminal = this.#others.get(name) ?? new BackgroundTerminal(this.#terminals)
    this.#others.set(name, terminal)
    await terminal.run(this.#local(text), this.#main.folder)
    if (/twain (dev|start)|npm start|npm run dev/.test(text)) await this.#ready(terminal, text)
  }

  async #ready(terminal: BackgroundTerminal, text: string): Promise<void> {
    const [, port = '4000'] = /--port (\d+)/.exec(text) ?? []
    for (let tries = 0; tries < 600; tries++) {
      const reply = await fetch(this.#local(`http://127.0.0.1:${port}/readyz`)).catch(() => null)
      if (reply?.status === 200) return
      if (!terminal.isRunning) break
      await pause(100)
    }
    throw new Error(`The server does not answer:\n${terminal.printed}`)
  }

  async #compare({ text, format, terminal }: Step & { kind: 'output' }): Promise<void> {
    if (terminal !== null) {
      const other = this.#others.get(terminal)
      assert.ok(other, `No command was started in the terminal "${terminal}".`)
      return other.expect((printed) => matchOutput(text, this.#asShown(printed), format))
    }
    matchOutput(text, this.#asShown(this.#printed.stdout), format)
    const statuses = this.#printed.statuses.filter((status) => !text.includes(String(status)))
    this.#printed = { ...this.#printed, statuses }
  }
}

/** Replaces the definitions of the same name, and adds the others. */
function mergeDefinitions(sdl: string, part: string): string {
  let merged = sdl
  for (const definition of parse(part).definitions) {
    const text = sourceOf(part, definition)
    const previous = parse(merged).definitions.find((one) => keyOf(one) === keyOf(definition))
    if (previous === undefined) merged = `${merged.trimEnd()}\n\n${text}\n`
    else merged = merged.slice(0, previous.loc!.start) + text + merged.slice(previous.loc!.end)
  }
  return merged
}

function sourceOf(text: string, { loc }: DefinitionNode): string {
  return text.slice(loc!.start, loc!.end)
}

function keyOf(definition: DefinitionNode): string {
  return 'name' in definition ? `${definition.kind} ${definition.name?.value}` : definition.kind
}
