// Who uses the console: the token, which stays in this tab (sessionStorage) and survives a reload.

import { signal } from '@preact/signals'
import { base } from './base.ts'
import { forgetRequests } from './requests.ts'

interface Session {
  /** Missing: the token was made elsewhere. */
  id?: string
  token: string
  /** Only of accounts that signed in with a password. */
  refreshToken?: string
}

const storageKey = 'twain.session'

export const session = signal<Session | null>(readStored())
/** Whether the session ended by itself, not by signing out. */
export const isExpired = signal(false)

export async function signInWithPassword(login: string, name: string, password: string): Promise<void> {
  begin(await post('/tokens', { [login]: name, password }))
}

/** The key of a link that `twain dev` printed. */
export async function signInWithKey(key: string): Promise<void> {
  begin(await post('/console/sign-in', { key }))
}

/** Throws if the server does not know the token: it is no session that has ended. */
export async function signInWithToken(token: string): Promise<void> {
  const reply = await sendJson('GET', '/docs/model', undefined, token)
  if (!reply.ok) throw failureIn(await reply.json())
  begin({ token })
}

let refreshing: Promise<void> | null = null

/** Renews the token, once for all who wait: a refresh token can be used once. */
export function refreshSession(): Promise<void> {
  refreshing ??= renew().finally(() => {
    refreshing = null
  })
  return refreshing
}

async function renew(): Promise<void> {
  const current = session.value
  if (current === null) throw new Error('not signed in')
  try {
    if (current.refreshToken === undefined) throw new Error('the session has ended')
    const next = await post('/tokens', { refreshToken: current.refreshToken })
    if (session.value === current) keep(next) // else the user has signed out meanwhile
  } catch (error) {
    if (session.value === current) {
      forget()
      isExpired.value = true
    }
    throw error
  }
}

function begin(next: Session): void {
  forgetRequests()
  isExpired.value = false
  keep(next)
}

/** Ends the session on the server, too. If that fails, it ends by its time. */
export async function signOut(): Promise<void> {
  const id = session.value?.id
  if (id !== undefined) await sendAsUser('DELETE', `/tokens/${id}`).catch(() => {})
  forget()
}

/** Sends a request with the token of the user, even while the console is shown as somebody else. */
export async function sendAsUser(method: 'POST' | 'DELETE', path: string, body?: object): Promise<Response> {
  const send = () => sendJson(method, path, body, session.value!.token)
  const reply = await send()
  if (reply.status !== 401 || session.value?.refreshToken === undefined) return reply
  await refreshSession()
  return send()
}

function forget(): void {
  forgetRequests()
  isExpired.value = false
  session.value = null
  sessionStorage.removeItem(storageKey)
}

function keep(next: Session): void {
  session.value = next
  sessionStorage.setItem(storageKey, JSON.stringify(next))
}

function readStored(): Session | null {
  const text = sessionStorage.getItem(storageKey)
  return text === null ? null : (JSON.parse(text) as Session)
}

/** Throws with the sentence of the server. */
async function post(path: string, body: object): Promise<Session> {
  const reply = await sendJson('POST', path, body)
  const answer = (await reply.json()) as Session
  if (!reply.ok) throw failureIn(answer as object)
  const { id, token, refreshToken } = answer
  return { token, ...(id !== undefined && { id }), ...(refreshToken !== undefined && { refreshToken }) }
}

export function failureIn({ detail, hint }: { detail?: string; hint?: string }): Error {
  return new Error([detail, hint].filter(Boolean).join(' '))
}

function sendJson(method: string, path: string, body?: object, token?: string): Promise<Response> {
  return fetch(base + path, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    signal: AbortSignal.timeout(10_000),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}
