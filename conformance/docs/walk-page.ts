// Takes the steps of a page, in a folder of its own that finds the packages of this repository, as a folder of the clone does.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type DefinitionNode, parse } from 'graphql'
import { freePort } from '../../scripts/free-port.ts'
import { matchOutput } from './match-output.ts'
import type { Step } from './page-steps.ts'
import { BackgroundTerminal, type Printed, Terminal } from './terminal.ts'

const shownAddress = 'http://127.0.0.1:4000'
const shownReceiverPort = '9999'
export const shownDatabase = 'postgres://shop:secret@127.0.0.1/shop'

export interface WalkOptions {
  folder: string
  /** For pages that name `shownDatabase`: its address here, and a way to run SQL beside it. */
  postgres: { address: string; run(sql: string): Promise<void> } | null
}

export async function walkPage(steps: readonly Step[], options: WalkOptions): Promise<void> {
  const walk = new Walk(options, await freePort(), await freePort())
  try {
    for (const step of steps) await walk.take(step)
    walk.expectNoRefusal()
  } finally {
    await walk.end()
  }
}

class Walk {
  readonly #options: WalkOptions
  readonly #address: string
  readonly #receiverPort: string
  readonly #main: Terminal
  readonly #others = new Map<string, BackgroundTerminal>()
  readonly #env: Record<string, string>
  #printed: Printed & { from: string } = { stdout: '', statuses: [], from: '' }

  constructor(options: WalkOptions, port: number, receiverPort: number) {
    const { folder } = options
    this.#options = options
    this.#address = `http://127.0.0.1:${port}`
    this.#receiverPort = String(receiverPort)
    this.#env = { TWAIN_PORT: String(port) }
    this.#main = new Terminal({ folder, env: this.#env })
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

  /** With the addresses of this run. */
  #local(text: string): string {
    const { postgres } = this.#options
    const local = text.replaceAll(shownAddress, this.#address).replaceAll(shownReceiverPort, this.#receiverPort)
    return postgres === null ? local : local.replaceAll(shownDatabase, `'${postgres.address}'`)
  }

  /** With the addresses of the page. */
  #asShown(printed: string): string {
    return printed.replaceAll(this.#address, shownAddress).replaceAll(this.#receiverPort, shownReceiverPort)
  }

  async #run(text: string): Promise<void> {
    this.#printed = { ...(await this.#main.run(this.#local(text))), from: text }
  }

  async #send(document: string): Promise<void> {
    this.#write('.operation.json', JSON.stringify({ query: document }))
    await this.#run(`curl -s ${shownAddress}/graphql \${A:+-H "$A"} --json @.operation.json`)
  }

  async #start(name: string, text: string): Promise<void> {
    const terminal = this.#others.get(name) ?? new BackgroundTerminal(this.#env)
    this.#others.set(name, terminal)
    await terminal.run(this.#local(text), this.#main.folder)
    if (/twain (dev|start)|npm start/.test(text)) await this.#ready(terminal)
  }

  async #ready(terminal: BackgroundTerminal): Promise<void> {
    for (let tries = 0; tries < 600; tries++) {
      const reply = await fetch(`${this.#address}/readyz`).catch(() => null)
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
