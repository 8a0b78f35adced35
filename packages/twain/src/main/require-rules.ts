// In production nothing is open because somebody forgot to say who may: where nobody can sign in, each resource says it
// itself. (Where there is an account type, what has no `@allow` is closed already.)

import type { Model } from '#model'
import { StartRefused } from '#store'

export function requireRules(model: Model): void {
  const open = withoutRules(model)
  if (open.length === 0) return
  const list = open.map((name) => `  - type ${name}`).join('\n')
  throw new StartRefused(
    `The schema does not say who may read and write these:\n${list}\n` +
      'Add @allow to each (alone it lets everyone do everything, @allow(to: [READ]) read), or an account type (@account).\n' +
      'twain dev serves it as it is.',
  )
}

/** Types that everyone may read and write, since nothing is said and nobody can sign in. */
export function withoutRules(model: Model): string[] {
  if (model.account !== null) return []
  return model.resources.filter(({ rules }) => rules.length === 0).map(({ name }) => name)
}
