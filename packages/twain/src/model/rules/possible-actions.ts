// The actions that a rule can allow: on rows, and on each kind of field.

import type { Action, ComputedField, Field } from '../model.ts'

/** AUDIT and ACT_AS must be named. */
export const everyAction: readonly Action[] = ['READ', 'CREATE', 'UPDATE', 'DELETE']
export const namedActions: readonly Action[] = [...everyAction, 'AUDIT', 'ACT_AS']
export const fieldActions: readonly Action[] = ['READ', 'CREATE', 'UPDATE']

/** Why an action has no meaning on a field. */
export const ofRowsOnly = new Map([
  ['DELETE', "a field can't be deleted, only a row"],
  ['AUDIT', 'who made a change is the same for all fields of a row'],
  ['ACT_AS', 'whoever acts as an account has its rights on all fields'],
])

/** The possible actions on a field, and why there are no more. */
export function ableWith(field: Field | ComputedField): { able: readonly Action[]; why: string } {
  if (field.kind === 'many' || field.kind === 'inverse') {
    const why = `it is written as ${field.via.owner.name}.${field.via.name}`
    return { able: ['READ'], why }
  }
  if (field.kind === 'computed') return { able: ['READ'], why: 'it is computed' }
  if (field.kind === 'stored' && field.auto) return { able: ['READ'], why: 'it is set by the server' }
  // Viewers without an account supply this field on create.
  if (field.kind === 'reference' && field.auto) return { able: ['READ', 'CREATE'], why: 'it is set by the server' }
  if (field.kind !== 'links' && field.immutable) return { able: ['READ', 'CREATE'], why: 'it is @immutable' }
  return { able: ['READ', 'CREATE', 'UPDATE'], why: '' }
}
