// Reports names that changed with `@was`, and previous names that were removed.

import type { Model, ModelType } from '../model.ts'
import type { Differences } from './differences.ts'
import { words } from './removed-types.ts'
import { fieldsOf, type Renames } from './renames.ts'

/** `previous` is the previous model under its own names; `before` is the same model under the names of `after`. */
export function compareNames(
  previous: Model,
  before: Model,
  after: Model,
  { types, fields, values }: Renames,
  found: Differences,
): void {
  for (const [from, to] of types) {
    const type = after.types.get(to)!
    if (type.alias === from) typeRenamed(type, from, found)
    else found.removed(to, `${words[type.kind]} ${from}, which is called ${to} again,`, false)
  }
  for (const [path, to] of [...fields, ...values]) {
    const [typeName = '', from = ''] = path.split('.')
    const type = after.types.get(types.get(typeName) ?? typeName)!
    const now = membersOf(type).find(({ name }) => name === to)
    const place = `${type.name}.${to}`
    if (now?.alias !== from)
      found.removed(place, `${previous.types.get(typeName)!.name}.${from}, which is called ${to} again,`, false)
    else if (type.kind !== 'enum')
      found.additive(place, `${type.name}.${from} is called ${to} now; the previous name still works`)
    else {
      const message = `the value ${from} of ${type.name} is called ${to} now: ${from} is still accepted, and responses have ${to}`
      found.warning(place, message, 'readers')
    }
  }
  for (const type of before.types.values()) compareLost(type, after.types.get(type.name), after, found)
}

function typeRenamed({ kind, name }: ModelType, from: string, found: Differences): void {
  const change = `${words[kind]} ${from} is called ${name} now`
  if (kind === 'enum' || kind === 'custom') found.additive(name, `${change}; the previous name still works`)
  else if (kind === 'resource') {
    const message = `${change}: the previous name still works, and responses have ${name} in __typename, events in their type`
    found.warning(name, message, 'readers')
  } else
    found.warning(name, `${change}: the previous name still works, and responses have ${name} in __typename`, 'readers')
}

/** A previous name was served as deprecated, so it may be removed. */
function compareLost(before: ModelType, now: ModelType | undefined, after: Model, found: Differences): void {
  if (now === undefined) return
  if (before.alias !== undefined && before.alias !== now.alias && !after.types.has(before.alias)) {
    found.removed(now.name, `the previous name ${before.alias} of ${now.name}`, true)
  }
  for (const { name, alias } of membersOf(before)) {
    const same = membersOf(now).find((member) => member.name === name)
    if (alias === undefined || same === undefined || same.alias === alias) continue
    if (membersOf(now).some((member) => member.name === alias)) continue
    found.removed(`${now.name}.${name}`, `the previous name ${alias} of ${now.name}.${name}`, true)
  }
}

function membersOf(type: ModelType): readonly { name: string; alias?: string }[] {
  return type.kind === 'enum' ? type.values : fieldsOf(type)
}
