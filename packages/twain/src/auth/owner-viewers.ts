// The permissions of a webhook's owner: an account with its current roles, an API key while it is valid, or an operator with
// the roles of the token that created the webhook.

import { system, type Viewer } from '#base/http'
import type { CredentialStore, WebhookOwner } from '#store'

export interface OwnerViewers {
  ownerOf(viewer: Viewer): Promise<WebhookOwner>
  /** Null if the account was deleted or the key revoked. */
  currentViewer(owner: WebhookOwner): Promise<Viewer | null>
}

export function createOwnerViewers(credentials: CredentialStore): OwnerViewers {
  return {
    async ownerOf(viewer) {
      const { account, token } = viewer
      const isKey = account === null && token !== null && (await credentials.keys()).some(({ id }) => id === token)
      return { account, roles: viewer === system ? ['admin'] : viewer.roles, key: isKey ? token : null }
    },
    async currentViewer({ account, roles, key }) {
      const current = await rolesOf(account, key)
      if (current === null) return null
      return { account, roles: current ?? roles, authenticated: true, token: key }
    },
  }

  /** Undefined for an operator: only the token had the roles. */
  async function rolesOf(account: string | null, key: string | null): Promise<readonly string[] | null | undefined> {
    if (account !== null) return credentials.rolesOf(account, null)
    if (key === null) return undefined
    return (await credentials.keys()).find(({ id }) => id === key)?.roles ?? null
  }
}
