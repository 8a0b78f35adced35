// docs/reference/rules.md, executed: each schema of the page is served, and each line of its scenarios is a request with its answer.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { run } from '../../packages/twain/src/cli/cli.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'
import { type Chapter, chaptersOf, fits, type Step } from './scenarios.ts'

const doc = readFileSync(new URL('../../docs/reference/rules.md', import.meta.url), 'utf8')
const chapters = chaptersOf(doc)

describe('docs/reference/rules.md', () => {
  for (const chapter of chapters) test(chapter.title, () => runScenario(chapter))

  test('has a scenario for each schema', () => {
    assert.deepEqual(
      chapters.map(({ title }) => title),
      [
        'Everyone reads, owners write',
        'A todo list, shared with others',
        'Teams with roles of their own',
        'A shop',
        'Rules for some fields',
      ],
    )
    assert.ok(chapters.every(({ steps }) => steps.length > 10))
  })

  test('shows what twain check --access prints', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twain-rules-'))
    const file = join(folder, 'notes.graphql')
    writeFileSync(file, chapters[0]!.sdl)
    const printed = await command('check', '--access', file)
    rmSync(folder, { recursive: true })
    const shown = /```text\n([\s\S]*?)```/.exec(doc)?.[1]
    assert.equal(printed.replaceAll(`${folder}/`, ''), shown)
  })
})

const silent = { info() {}, warn() {}, error() {} }

async function runScenario({ sdl, steps }: Chapter): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'twain-rules-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const { place, flags, drop } = await makeTestPlace(join(folder, 'data'))
  const service = await openService({ schemaFile, ...place, limits: defaultLimits, log: silent })
  try {
    const story = new Story(service, flags)
    for (const step of steps) await story.live(step)
  } finally {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  }
}

class Story {
  readonly #service: Service
  readonly #flags: string[]
  readonly #tokens = new Map<string, string | null>([['nobody', null]])
  readonly #ids = new Map<string, string>()

  constructor(service: Service, flags: string[]) {
    this.#service = service
    this.#flags = flags
  }

  async live(step: Step): Promise<void> {
    for (const name of step.people) await this.#meet(name)
    const token = this.#tokens.get(step.who)!
    const { status, value } = await this.#send(token, step.method, this.#fill(step.path), this.#fill(step.body))
    assert.equal(status, step.status, `${step.text}\n${JSON.stringify(value)}`)
    assert.ok(fits(value, this.#fill(step.answer)), `${step.text}\n${JSON.stringify(value)}`)
    if (step.as !== null) this.#ids.set(step.as, (value as { id: string }).id)
  }

  /** Operators get a token of the command; everyone else signs up and signs in. */
  async #meet(name: string): Promise<void> {
    if (this.#tokens.has(name)) return
    if (name === 'staff' || name === 'admin') {
      this.#tokens.set(name, (await command('token', '--role', name, ...this.#flags)).trim())
      return
    }
    const { path } = this.#service.model.account!.resource
    const account = { email: `${name}@example.org`, password: `${name}'s password` }
    const made = await this.#send(null, 'POST', `/${path}`, JSON.stringify({ ...account, name }))
    const signed = await this.#send(null, 'POST', '/tokens', JSON.stringify(account))
    assert.equal(signed.status, 201, JSON.stringify(made.value))
    this.#tokens.set(name, (signed.value as { token: string }).token)
    const own = await this.#send(this.#tokens.get(name)!, 'GET', `/${path}`, '', `email=${account.email}`)
    this.#ids.set(name, (own.value as { id: string }[])[0]!.id)
  }

  async #send(token: string | null, method: string, target: string, body: string, query = '') {
    const headers = {
      host: 'localhost',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
    }
    const at = query === '' ? target : `${target}?${query}`
    const request = plainRequest(method, at, body === '' ? { headers } : { headers, body })
    const reply = await this.#service.handle(request)
    const text = await bodyText(reply)
    return { status: reply.status, value: text === '' ? null : (JSON.parse(text) as unknown) }
  }

  #fill(text: string): string {
    return text.replace(/\{(\w+)\}/g, (whole, name: string) => this.#ids.get(name) ?? whole)
  }
}

/** What the command prints. */
async function command(...argv: string[]): Promise<string> {
  let out = ''
  let err = ''
  const code = await run(argv, {
    env: {},
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  })
  assert.equal(code, 0, err)
  return out
}
