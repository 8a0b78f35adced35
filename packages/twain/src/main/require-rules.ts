// In production nothing is open by omission: a schema without an account type needs `@allow` on each resource and on each custom
// operation. With an account type, what has no `@allow` is closed anyway.

import type { Model } from '#model'
import { StartRefused } from '#store'

export function requireRules(model: Model): void {
  const { types, operations } = openByOmission(model)
  if (types.length + operations.length === 0) return
  const list = [...types.map((name) => `type ${name}`), ...operations].map((name) => `  - ${name}\n`).join('')
  const what =
    operations.length === 0 ? 'types' : types.length === 0 ? 'custom operations' : 'types and custom operations'
  throw new StartRefused(
    `These ${what} have no access rules:\n${list}` +
      'Add @allow to each of them (everyone may do everything; @allow(to: [READ]) on a type: everyone may read), or an account type (@account).\n' +
      'twain dev serves the schema without rules.',
  )
}

interface WithoutRules {
  types: string[]
  /** `Mutation.publish`. */
  operations: string[]
}

/** What everyone may use because the schema has neither rules for it nor an account type. */
export function openByOmission(model: Model): WithoutRules {
  return model.account === null ? withoutRules(model) : { types: [], operations: [] }
}

/** What only the role admin may use because the schema has no rules for it. */
export function closedByOmission(model: Model): WithoutRules {
  return model.account === null ? { types: [], operations: [] } : withoutRules(model)
}

function withoutRules({ resources, views, operations }: Model): WithoutRules {
  return {
    types: [...resources, ...views].filter(({ rules }) => rules.length === 0).map(({ name }) => name),
    operations: operations.filter(({ rules }) => rules.length === 0).map(({ root, name }) => `${root}.${name}`),
  }
}
