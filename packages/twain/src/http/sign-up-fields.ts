// The required fields of a new account, if an anonymous viewer may create one.

import type { Model } from '#model'
import { isRequiredInput } from '#plan/build'
import { accessMatrix } from '#plan/explain'

/** Null where there is no account type, or no rule could let an anonymous viewer create an account. */
export function signUpFields(model: Model): string[] | null {
  const { account } = model
  if (account === null) return null
  const rows = accessMatrix(model, [{ name: 'nobody', signedIn: false, roles: [] }])
  const maySignUp = rows.some(
    ({ of, field, action, cells }) =>
      of === account.resource && field === null && action === 'CREATE' && cells[0]?.verdict.is !== 'never',
  )
  if (!maySignUp) return null
  return [...[...account.resource.fields.values()].filter(isRequiredInput).map(({ name }) => name), 'password']
}
