// Fields that own code answers: no column depends on them, but clients do.

import type { ComputedField, Resource } from '../model.ts'
import { spellOwnType, spellType } from '../spell-type.ts'
import type { Differences } from './differences.ts'

export function compareComputed(before: Resource, after: Resource, found: Differences): void {
  for (const field of before.computed.values()) {
    const path = `${before.name}.${field.name}`
    const now = after.computed.get(field.name)
    if (now) compareField(field, now, path, found)
    else if (!after.fields.has(field.name)) found.breaking(path, `field ${path} is gone`)
    else found.additive(path, `${path} was computed and is stored now`)
  }
  for (const { name } of after.computed.values()) {
    const path = `${after.name}.${name}`
    if (!before.computed.has(name) && !before.fields.has(name)) found.additive(path, `field ${path} is new`)
  }
}

function compareField(before: ComputedField, after: ComputedField, path: string, found: Differences): void {
  const was = spellOwnType(before.type)
  const is = spellOwnType(after.type)
  if (was !== is) found.breaking(path, `${path} was ${was} and is ${is} now`, 'Give the new one another name.')
  else if (before.required && !after.required)
    found.breaking(path, `${path} may be null now`, 'Make it required again.')
  compareArguments(before, after, path, found)
}

function compareArguments(before: ComputedField, after: ComputedField, path: string, found: Differences): void {
  const now = new Map(after.args.map((arg) => [arg.name, arg]))
  for (const arg of before.args) {
    const place = `${path}(${arg.name})`
    const same = now.get(arg.name)
    if (!same) found.breaking(place, `argument ${place} is gone`)
    else if (spellType(same.type) !== spellType(arg.type)) {
      const change = `${place} was ${spellType(arg.type)} and is ${spellType(same.type)} now`
      found.breaking(place, change, 'Give the new one another name.')
    } else if (same.required && same.default === undefined && !(arg.required && arg.default === undefined)) {
      found.breaking(place, `${place} must be given now`, 'Make it optional, or give it a default.')
    }
  }
  const known = new Set(before.args.map(({ name }) => name))
  for (const { name, required, default: start } of after.args) {
    if (known.has(name) || !required || start !== undefined) continue
    found.breaking(
      path,
      `${path} has a new argument ${name} that must be given`,
      'Make it optional, or give it a default.',
    )
  }
}
