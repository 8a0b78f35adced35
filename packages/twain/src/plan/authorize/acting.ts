// What a viewer that somebody acts as may not do, whatever the rules say (docs/internals/decisions/0088-acting.md).
//
// 1. A read-only session writes nothing, on no path. Custom code that runs for it writes nothing either, not even as the system.
// 2. No session that acts reads or ends sessions, identities and keys, or makes webhooks, which would outlive it.
// 3. It changes no password and no lock. Logins, roles, and accounts as a whole are the store's concern: a cascade or an earlier version
//    of a row may change them (`store/write/rows/accounts/logins.ts`).

import { neverWhileActing, readOnlySession } from '#base'
import { isSystem, type Viewer } from '#base/http'
import type { Abstract, CustomOperation, Resource } from '#model'
import { isLock, isPassword } from '../build/input.ts'
import { isReadPlan, type Plan, type SubscriptionPlan, type WritePlan } from '../plan.ts'

/** The types of the server itself that sign somebody in. */
const credentials: ReadonlySet<string> = new Set(['Token', 'Identity', 'ApiKey'])

export function requireActingPlan(plan: Plan | SubscriptionPlan, viewer: Viewer): void {
  if (plan.kind === 'subscription' || isReadPlan(plan)) {
    requireActingRead(plan.of, viewer)
    return
  }
  const writes = plan.kind === 'batch' ? plan.writes : [plan.kind === 'bulk' ? plan.write : plan]
  if (viewer.acting?.readOnly === true) throw readOnlySession()
  for (const write of writes) {
    requireActingWrite(write.of, viewer)
    if (!isSystem(viewer) && writesCredential(write)) throw neverWhileActing('change a password or lock an account')
  }
}

export function requireActingRead(of: Resource | Abstract, viewer: Viewer): void {
  if (!isSystem(viewer) && isCredential(of)) throw neverWhileActing(`use ${of.system!.plural.toLowerCase()}`)
}

export function requireActingWrite(of: Resource, viewer: Viewer): void {
  if (viewer.acting?.readOnly === true) throw readOnlySession()
  if (isSystem(viewer)) return
  requireActingRead(of, viewer)
  if (isWebhook(of)) throw neverWhileActing('change webhooks, which outlive it')
}

export function requireActingCall({ root }: CustomOperation, { acting }: Viewer): void {
  if (acting?.readOnly === true && root === 'Mutation') throw readOnlySession()
}

/** Whether a viewer that somebody acts as may read rows of the type. */
export function mayActingRead(of: Resource | Abstract, { acting }: Viewer): boolean {
  return acting === undefined || !isCredential(of)
}

export function mayActingWrite(of: Resource | Abstract, viewer: Viewer): boolean {
  const { acting } = viewer
  return acting === undefined || (!acting.readOnly && mayActingRead(of, viewer) && !isWebhook(of))
}

function isWebhook(of: Resource | Abstract): boolean {
  return of.kind === 'resource' && of.system !== undefined && of.name === 'Webhook'
}

function isCredential(of: Resource | Abstract): of is Resource {
  return of.kind === 'resource' && of.system !== undefined && credentials.has(of.name)
}

function writesCredential({ set }: Pick<WritePlan, 'set'>): boolean {
  return set.some((member) => isPassword(member) || isLock(member))
}
