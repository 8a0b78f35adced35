// Compares views. Nothing is stored, so no row stands in the way: another SELECT is no change of the API, and fields matter to
// readers only.

import type { Field, Resource } from '../model.ts'
import { printType } from '../print-type.ts'
import { compareDeprecation, type Differences, otherName } from './differences.ts'
import { compareCollations } from './values.ts'

/** One of the two is a view, or both are. */
export function compareViews(before: Resource, after: Resource, found: Differences): void {
  const { name } = before
  if (before.view === undefined || after.view === undefined) {
    const change = after.view === undefined ? 'was a view and has rows of its own now' : 'is a view now'
    const rows = before.view === undefined ? 'dropped' : 'stay'
    found.breaking(name, `${name} ${change}`, { affects: 'clients', rows }, otherName)
    return
  }
  const [was, is] = [keyOf(before), keyOf(after)]
  if (was !== is) {
    const message = `the key of ${name} was ${was} and is ${is} now, so the ids of its rows change`
    found.breaking(name, message, { affects: 'readers' }, 'Restore the key.')
  }
  for (const field of before.fields.values()) {
    const path = `${name}.${field.name}`
    const now = after.fields.get(field.name)
    if (now) compareField(field, now, path, found)
    else found.removed(path, `field ${path}`, field.deprecated !== null, 'stay', 'field')
  }
  for (const field of after.fields.values()) {
    if (!before.fields.has(field.name)) found.additive(`${name}.${field.name}`, `field ${name}.${field.name} is new`)
  }
}

function compareField(before: Field, after: Field, path: string, found: Differences): void {
  const [was, is] = [shapeOf(before), shapeOf(after)]
  if (was !== is) found.breaking(path, `${path} was ${was} and is ${is} now`, { affects: 'readers' }, otherName)
  else if (before.required && !after.required)
    found.breaking(path, `${path} may be null now`, { affects: 'readers' }, 'Make it required again.')
  else if (before.kind === 'stored' && after.kind === 'stored') compareCollations(before, after, path, found)
  compareDeprecation(before, after, path, found)
}

function keyOf({ view }: Resource): string {
  return view!.key.map(({ name }) => name).join(', ')
}

function shapeOf(field: Field): string {
  return field.kind === 'stored'
    ? printType(field.type)
    : `a reference to ${field.kind === 'reference' ? field.to.name : ''}`
}
