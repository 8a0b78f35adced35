// Whose rights something has that goes on when its maker has left: an account with its roles as of now, a machine's key while it
// counts, or an operator, whose roles are those of the token that it came with.

import { system, type Viewer } from '#base'
import type { CredentialStore, WebhookOwner } from '#store'

export interface OwnerViewers {
  ownerOf(viewer: Viewer): Promise<WebhookOwner>
  /** Null: nobody any more. */
  currentViewer(maker: WebhookOwner): Promise<Viewer | null>
}

export function createOwnerViewers(credentials: CredentialStore): OwnerViewers {
  return {
    async ownerOf(viewer) {
      const { account, token } = viewer
      const isKey = account === null && token !== null && (await credentials.keys()).some(({ id }) => id === token)
      return { account, roles: viewer === system ? ['admin'] : viewer.roles, key: isKey ? token : null }
    },
    async currentViewer({ account, roles, key }) {
      const now = await rolesOf(account, key)
      if (now === null) return null
      return { account, roles: now ?? roles, authenticated: true, token: key }
    },
  }

  /** Undefined: nobody but its token knows them. */
  async function rolesOf(account: string | null, key: string | null): Promise<readonly string[] | null | undefined> {
    if (account !== null) return credentials.rolesOf(account, null)
    if (key === null) return undefined
    return (await credentials.keys()).find(({ id }) => id === key)?.roles ?? null
  }
}
