// Whether nobody can administrate a service: its accounts have roles, and none of them has the role admin.

import type { AuthSettings } from '#auth'
import { bodyText, plainRequest } from '#base/http'
import type { Service } from '#main'

/** A service with more accounts is in use, and a search in them would take long at each start. */
const maxAccounts = 100

/** False also if it can't be told: with many accounts, and with external issuers, whose tokens have roles. */
export async function lacksAdmin(
  { model, handleAsSystem }: Pick<Service, 'model' | 'handleAsSystem'>,
  { issuer, issuers }: Pick<AuthSettings, 'issuer' | 'issuers'>,
): Promise<boolean> {
  const { account } = model
  if (account === null || account.roles === null || issuer !== null || issuers !== null) return false
  const { resource, roles } = account
  const idsOf = async (filter: string, limit: number): Promise<unknown[] | null> => {
    const reply = await handleAsSystem(plainRequest('GET', `/${resource.path}?${filter}fields=id&limit=${limit}`))
    return reply.status === 200 ? (JSON.parse(await bodyText(reply)) as unknown[]) : null
  }
  const accounts = await idsOf('', maxAccounts)
  if (accounts === null || accounts.length === maxAccounts) return false
  const has = roles.type.kind === 'list' ? `${roles.name}[contains]` : roles.name
  return (await idsOf(`${has}=admin&`, 1))?.length === 0
}
