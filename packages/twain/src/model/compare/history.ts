// Compares how long the changes of a type's rows are kept.

import type { Resource } from '../model.ts'
import type { Differences } from './differences.ts'

export function compareHistories(before: Resource, after: Resource, found: Differences): void {
  const { name } = before
  const [was, is] = [before.history, after.history]
  if (was === undefined && is !== undefined)
    found.additive(name, `the changes of a ${name} are kept for ${is.keep} now (@history)`)
  if (was !== undefined && is === undefined) {
    const message = `the changes of a ${name} are not kept longer than the change log any more: @history is gone, and Twain deletes those that are kept`
    found.warning(name, message, 'clients')
  }
  if (was === undefined || is === undefined || was.keepSeconds === is.keepSeconds) return
  const message = `the changes of a ${name} were kept for ${was.keep}, and are for ${is.keep} now`
  if (is.keepSeconds > was.keepSeconds) found.additive(name, message)
  else found.warning(name, message, 'clients')
}
