// Viewers who send requests to a server.

import assert from 'node:assert/strict'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests read members of any JSON
  body: any
}

/** Who sends requests to a server. */
export interface Clients {
  address: string
  /** Creates an account and signs it in as a viewer of that name. Returns the path of its row. */
  createAccount(name: string): Promise<string>
  /** Only creates it, in less time. */
  signUp(name: string): Promise<string>
  /** The tokens by the name of the viewer; the anonymous viewer has none. */
  viewers: Map<string, string | undefined>
  /** `viewer` is the name of one of the viewers; default: anonymous. A body is sent as JSON, unless it is a text or a form. */
  send(method: string, path: string, options?: SendOptions): Promise<Reply>
}

export interface SendOptions {
  viewer?: string
  body?: unknown
  headers?: Record<string, string>
}

export interface AccountType {
  path: string
  input(name: string): Record<string, unknown>
}

/** `operator` is the token or API key of the viewer of that name. */
export function clientsOf(address: string, account: AccountType, operator: string): Clients {
  const viewers = new Map<string, string | undefined>([
    ['anonymous', undefined],
    ['operator', operator],
  ])
  const send = sender(address, viewers)
  const credentialsOf = (name: string) => ({ email: `${name}@example.org`, password: 'fair winds' })
  const signUp = async (name: string) => {
    const made = await send('POST', account.path, { body: { ...account.input(name), ...credentialsOf(name) } })
    assert.equal(made.status, 201, made.text)
    return made.headers.get('location')!
  }
  const createAccount = async (name: string) => {
    const row = await signUp(name)
    viewers.set(name, (await send('POST', '/tokens', { body: credentialsOf(name) })).body.token)
    return row
  }
  return { address, viewers, send, signUp, createAccount }
}

function sender(address: string, viewers: Clients['viewers']): Clients['send'] {
  return async (method, path, { viewer = 'anonymous', body, headers = {} } = {}) => {
    const token = viewers.get(viewer)
    const isWritten = typeof body === 'string' || body instanceof FormData
    const reply = await fetch(address + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isWritten ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = /[/+]json/.test(reply.headers.get('content-type') ?? '') && text !== ''
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }
}

/** What a command prints, without the end of the line. */
export async function printed(...words: string[]): Promise<string> {
  const { code, out, err } = await command(...words)
  assert.equal(code, 0, err)
  return out.trimEnd()
}
