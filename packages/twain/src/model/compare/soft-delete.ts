// Compares what a DELETE does to the rows of a type.

import type { Resource } from '../model.ts'
import type { Differences } from './differences.ts'

/** Rows that are hidden stay hidden under every schema, and go when the time that they were deleted with is over. */
export function compareSoftDeletes(before: Resource, after: Resource, found: Differences): void {
  const { name } = before
  const [was, is] = [before.softDelete, after.softDelete]
  if (was === undefined && is !== undefined)
    found.additive(name, `a deleted ${name} can be restored for ${is.keep} now (@softDelete)`)
  if (was !== undefined && is === undefined) {
    const message = `a deleted ${name} can't be listed or restored any more: @softDelete is gone, and a delete is final`
    found.breaking(name, message, { affects: 'clients' }, 'Put @softDelete back.')
  }
  if (was === undefined || is === undefined || was.keepSeconds === is.keepSeconds) return
  const message = `a deleted ${name} could be restored for ${was.keep}, and can for ${is.keep} now`
  if (is.keepSeconds > was.keepSeconds) found.additive(name, message)
  else found.warning(name, message, 'clients')
}
