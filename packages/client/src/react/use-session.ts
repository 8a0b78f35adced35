// Who is signed in, in a component.

import { useSyncExternalStore } from 'react'
import type { Auth } from '../auth/auth.ts'
import type { Session } from '../auth/session-tokens.ts'

/** Renders again after each sign-in and sign-out, also those of other tabs. On a server nobody is signed in. */
export function useSession(auth: Pick<Auth, 'session' | 'onChange'>): Session | null {
  return useSyncExternalStore(
    auth.onChange,
    () => auth.session,
    () => null,
  )
}
