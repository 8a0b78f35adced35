// Fields that a create leaves out and that the token fills: `@default(value: {claim: "org_id"})`.

import type { Problem } from '#base'
import { checkConstraint, type ReferenceField, type StoredField, type StoredType } from '#model'
import { claimedDefault } from '#plan'
import type { JobViewer } from '../steps/write-job.ts'

const idType: StoredType = { kind: 'scalar', name: 'ID' }

/** The value of the viewer's claim; null if the token has none that fits the field. */
export function claimedValue(field: StoredField | ReferenceField, { claims }: JobViewer): unknown {
  const type = field.kind === 'stored' ? field.type : idType
  return claimedDefault(field.defaultClaim!, type, claims) ?? null
}

/** The message names the claim, never its value. */
export function checkClaimed(field: StoredField | ReferenceField, value: unknown, problems: Problem[]): void {
  const { name, required, defaultClaim } = field
  if (value === null && required) {
    const message = `is required: the token has no claim "${defaultClaim}" that fits.`
    problems.push({ path: name, code: 'REQUIRED', message })
  }
  if (field.kind === 'stored') checkConstraint(field.constraint, field.type, value, name, problems)
}
