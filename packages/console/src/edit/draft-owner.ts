// Whose unsaved changes those of a session are, so that the next person in the same tab does not see them.

interface SignedIn {
  account: string | null
  roles: readonly string[]
}

/** The account, the person whom an external issuer names, the API key, or the operator. A token of an operator names nobody, and each has
 *  another id. So operators with the same roles are one owner, who finds the changes again with the next token. */
export function draftOwner({ account, roles }: SignedIn, token: string): string {
  if (account !== null) return account
  const claims = claimsOf(token)
  if (claims === null) return `key ${fingerprint(token)}`
  return claims.sub === undefined ? `operator ${roles.join(' ')}` : `external ${claims.iss} ${claims.sub}`
}

/** Null: it is no JWT. The server has verified it. */
function claimsOf(token: string): { iss?: string; sub?: string } | null {
  try {
    return JSON.parse(atob(token.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return null
  }
}

/** FNV-1a. The name of an owner stays in the tab after the session, so the key itself must not be in it. */
function fingerprint(key: string): string {
  let hash = 0x811c9dc5
  for (const letter of key) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193)
  return (hash >>> 0).toString(36)
}
