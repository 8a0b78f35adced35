// examples/chat as a service with its seed, and helpers for tests of its pages.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Page } from 'playwright-core'
import { seed } from '../../packages/twain/src/cli/run-seed.ts'
import { listen } from '../../packages/twain/src/http/index.ts'
import type { Mailbox } from '../../packages/twain/src/mail/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'

const example = join(import.meta.dirname, '../../examples/chat')

export async function openChat(t: TestContext, mailbox?: Mailbox): Promise<Service> {
  const data = mkdtempSync(join(tmpdir(), 'twain-chat-'))
  const schemaFile = join(example, 'schema.graphql')
  const service = await openService({
    schemaFile,
    data,
    limits: defaultLimits,
    log: silent,
    requireRules: true,
    ...(mailbox && { mailbox }),
  })
  t.after(async () => {
    await service.close()
    rmSync(data, { recursive: true })
  })
  await seed(join(example, 'seed.ts'), service)
  return service
}

export function serveChat({ handle, sockets }: Service, port: number) {
  const grace = { idle: 10, all: 200 }
  return listen({
    handle,
    sockets,
    host: '127.0.0.1',
    port,
    body: 1_048_576,
    log: silent,
    http: { cors: 'localhost' },
    grace,
  })
}

export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Sends a REST request as a user of the seed. */
export async function signIn(address: string, name: string, password = 'fair winds') {
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const ask = async <T = { id: string }[]>(method: string, path: string, body?: object): Promise<T> => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const reply = await fetch(address + path, { method, headers, ...sent })
    assert.ok(reply.ok, `${method} ${path}: ${reply.status}`)
    return (reply.status === 204 ? null : await reply.json()) as T
  }
  const { token } = await ask<{ token: string }>('POST', '/tokens', {
    email: `${name}@quay.example`,
    password,
  })
  headers.authorization = `Bearer ${token}`
  return ask
}
