// The person at this page. All tabs share one session.

import { type Client, createClient } from '@twain/client'
import { createAuth } from '@twain/client/auth'
import { useSession } from '@twain/client/react'
import { useMemo } from 'react'

export const auth = createAuth({ url: '/api' })

/** Each session has a client, and with it a cache, of its own. */
export function useSessionClient(): { client: Client; isSignedIn: boolean } {
  const id = useSession(auth)?.id ?? null
  return useMemo(() => {
    const { authorization, refresh } = auth
    return { client: createClient({ url: '/api/graphql', authorization, refresh }), isSignedIn: id !== null }
  }, [id])
}
