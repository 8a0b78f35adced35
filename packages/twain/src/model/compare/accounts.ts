// Compares which accounts can sign in, and how.

import type { Model } from '../model.ts'
import { type Differences, putBack } from './differences.ts'

export function compareAccounts(before: Model, after: Model, found: Differences): void {
  const breaking = (path: string, message: string) => found.breaking(path, message, { affects: 'viewers' }, putBack)
  const was = before.account
  const is = after.account
  if (!is) {
    if (was) breaking(was.resource.name, `rows of ${was.resource.name} can't sign in any more`)
    return
  }
  const { name } = is.resource
  if (!was) {
    if (before.types.has(name)) breaking(name, `rows of ${name} sign in now, and creating one takes a password`)
    else found.additive(name, `rows of ${name} can sign in`)
  } else if (was.resource.name !== name) {
    breaking(name, `rows of ${was.resource.name} could sign in, and those of ${name} can now`)
  } else {
    if (was.login.name !== is.login.name) {
      breaking(name, `${name} signed in with ${was.login.name}, and does with ${is.login.name} now`)
    }
    if (was.roles && was.roles.name !== is.roles?.name) {
      const present = is.roles?.name ?? 'no field'
      breaking(name, `the roles of ${name} were in ${was.roles.name}, and are in ${present} now`)
    }
  }
}
