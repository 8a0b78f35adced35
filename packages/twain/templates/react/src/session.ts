// The session of the person at this page. The tokens stay in this tab; another tab signs in by itself.

import { type Client, createClient } from '@twain/client'
import { useSyncExternalStore } from 'react'

interface Tokens {
  id: string
  token: string
  refreshToken: string
}

interface Session {
  /** Each person has a client, and with it a cache, of their own. */
  client: Client
  isSignedIn: boolean
}

const key = 'session'
const listeners = new Set<() => void>()
let tokens: Tokens | null = JSON.parse(sessionStorage.getItem(key) ?? 'null')
let session = newSession()

function newSession(): Session {
  const client = createClient({
    url: '/api/graphql',
    authorization: () => (tokens === null ? null : `Bearer ${tokens.token}`),
    refresh: async () => {
      if (tokens === null) return
      const reply = await postToken({ refreshToken: tokens.refreshToken })
      keep(reply.ok ? ((await reply.json()) as Tokens) : null)
    },
  })
  return { client, isSignedIn: tokens !== null }
}

export function useSession(): Session {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => session,
  )
}

/** Returns what went wrong, or null. */
export async function signIn(email: string, password: string): Promise<string | null> {
  const reply = await postToken({ email, password })
  const body = (await reply.json()) as Tokens & { detail?: string }
  if (!reply.ok) return body.detail ?? 'You could not be signed in.'
  keep(body)
  return null
}

export async function signOut(): Promise<void> {
  if (tokens !== null) await session.client.rest.delete(`/tokens/${tokens.id}`).catch(() => null)
  keep(null)
}

function keep(next: Tokens | null): void {
  const isRenewal = next !== null && tokens !== null
  tokens = next
  if (next === null) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, JSON.stringify(next))
  if (isRenewal) return
  session = newSession()
  for (const listener of listeners) listener()
}

function postToken(body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  return fetch('/api/tokens', { method: 'POST', headers, body: JSON.stringify(body) })
}
