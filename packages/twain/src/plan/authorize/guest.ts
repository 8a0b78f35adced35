// Who signs up, and does not create the accounts of others.

import type { Viewer } from '#base/http'
import type { Resource } from '#model'

/** Whether the viewer may create accounts only by rules that are for anybody. Anonymous viewers do, and so does an account without
 *  further rights: otherwise whoever has one account could make others with the addresses of other people. */
export function isGuest(account: Resource | null, { authenticated, account: own, roles, verified }: Viewer): boolean {
  if (!authenticated) return true
  if (own === null || account === null) return false
  return !account.rules.some(
    (rule) =>
      rule.to.includes('CREATE') &&
      rule.who.kind !== 'self' && // nobody is the row that is not there yet
      (rule.who.kind !== 'anyone' || rule.role !== null || rule.verified) &&
      (rule.role === null || roles.includes(rule.role)) &&
      (!rule.verified || verified === true),
  )
}
