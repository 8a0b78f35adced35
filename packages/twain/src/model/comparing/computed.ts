// What own code answers: no column depends on it, but clients do.

import type { Model, OwnOperation, Resource } from '../model.ts'
import { spellOwnType, spellType } from '../spell-type.ts'
import type { Differences } from './differences.ts'

export function compareComputed(before: Resource, after: Resource, found: Differences): void {
  for (const field of before.computed.values()) {
    const path = `${before.name}.${field.name}`
    const now = after.computed.get(field.name)
    if (now) compareOwn(field, now, path, found)
    else if (!after.fields.has(field.name)) found.breaking(path, `field ${path} is gone`)
    else found.additive(path, `${path} was computed and is stored now`)
  }
  for (const { name } of after.computed.values()) {
    const path = `${after.name}.${name}`
    if (!before.computed.has(name) && !before.fields.has(name)) found.additive(path, `field ${path} is new`)
  }
}

export function compareOperations(before: Model, after: Model, found: Differences): void {
  const spell = ({ root, name }: OwnOperation) => `${root}.${name}`
  const now = new Map(after.operations.map((operation) => [spell(operation), operation]))
  for (const operation of before.operations) {
    const path = spell(operation)
    const same = now.get(path)
    if (!same) found.breaking(path, `operation ${path} is gone`)
    else compareOwn(operation, same, path, found)
    if (same && same.path !== operation.path) {
      found.breaking(path, `the path of ${path} was /${operation.path} and is /${same.path} now`, 'Set it back.')
    }
  }
  const known = new Set(before.operations.map(spell))
  for (const path of now.keys()) if (!known.has(path)) found.additive(path, `operation ${path} is new`)
}

type Own = Pick<OwnOperation, 'type' | 'required' | 'args'>

function compareOwn(before: Own, after: Own, path: string, found: Differences): void {
  const was = spellOwnType(before.type)
  const is = spellOwnType(after.type)
  if (was !== is) found.breaking(path, `${path} was ${was} and is ${is} now`, 'Give the new one another name.')
  else if (before.required && !after.required)
    found.breaking(path, `${path} may be null now`, 'Make it required again.')
  compareArguments(before, after, path, found)
}

function compareArguments(before: Own, after: Own, path: string, found: Differences): void {
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
