// The warning about unique fields whose values viewers can guess; null without such fields.

import type { Model } from '#model'
import { guessableFields } from '#plan/explain'

export function guessable(model: Model): string | null {
  const fields = guessableFields(model)
  if (fields.length === 0) return null
  const names = fields.map(
    ({ field: { owner, name }, by }) => `${owner.name}.${name} (${by.map((kind) => kind.name).join(', ')})`,
  )
  return `Unique fields reveal taken values (409) to viewers who may write but not read them: ${names.join(', ')}`
}
