// In production nothing is open by omission: a schema without an account type needs `@allow` on each resource. With an account
// type, a resource without `@allow` is closed anyway.

import type { Model } from '#model'
import { StartRefused } from '#store'

export function requireRules(model: Model): void {
  const open = withoutRules(model)
  if (open.length === 0) return
  const list = open.map((name) => `  - type ${name}`).join('\n')
  throw new StartRefused(
    `These types have no access rules:\n${list}\n` +
      'Add @allow to each of them (everyone may do everything; @allow(to: [READ]): everyone may read), or an account type (@account).\n' +
      'twain dev serves the schema without rules.',
  )
}

/** Types that everyone may read and write: they have no rules, and the schema has no account type. */
export function withoutRules(model: Model): string[] {
  if (model.account !== null) return []
  return model.resources.filter(({ rules }) => rules.length === 0).map(({ name }) => name)
}
