// Whether nobody can administrate a service: its accounts have roles, and none of them has the role admin.

import { bodyText, plainRequest } from '#base/http'
import type { Service } from '#main'

/** False also if it can't be told. */
export async function lacksAdmin({
  model,
  handleAsSystem,
}: Pick<Service, 'model' | 'handleAsSystem'>): Promise<boolean> {
  const { account } = model
  if (account === null || account.roles === null) return false
  const { resource, roles } = account
  const has = roles.type.kind === 'list' ? `${roles.name}[contains]` : roles.name
  const reply = await handleAsSystem(plainRequest('GET', `/${resource.path}?${has}=admin&fields=id&limit=1`))
  return reply.status === 200 && (await bodyText(reply)) === '[]'
}
