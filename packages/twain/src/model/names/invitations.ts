// The names of invitations in the APIs. Many schemas have invitations of their own, so a schema file may use them: then the APIs have
// none of ours.

import { hasAddresses } from '../members-of.ts'
import type { Model } from '../model.ts'

export const invitationType = 'Invitation'
export const invitationPath = 'invitations'
export const invitationFields = {
  create: 'createInvitation',
  list: 'invitations',
  resend: 'resendInvitation',
  delete: 'deleteInvitation',
} as const

export function hasInvitations({ account, types, resources, views, abstracts, operations }: Model): boolean {
  if (account === null || !hasAddresses(account) || types.has(invitationType)) return false
  const names: readonly string[] = Object.values(invitationFields)
  const collections = [...resources, ...views, ...abstracts]
  return (
    collections.every(({ path }) => path !== invitationPath) &&
    operations.every(({ name, path }) => !names.includes(name) && path !== invitationPath)
  )
}
