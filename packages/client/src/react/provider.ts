// The client of the hooks below a provider.

import { createContext, createElement, type ReactNode, useContext } from 'react'
import type { Client } from '../client/client.ts'

const Context = /* @__PURE__ */ createContext<Client | null>(null)

export function ClientProvider({ client, children }: { client: Client; children?: ReactNode }): ReactNode {
  return createElement(Context.Provider, { value: client }, children)
}

export function useClient(): Client {
  const client = useContext(Context)
  if (client === null) throw new Error('There is no client: put a <ClientProvider client={…}> around what uses hooks.')
  return client
}
