// Compares computed fields and custom operations: no column depends on them, but clients do.

import type { CustomOperation, Model, Resource } from '../model.ts'
import { printCustomType, printType } from '../print-type.ts'
import { type Differences, optionalOrDefault, otherName } from './differences.ts'

export function compareComputed(before: Resource, after: Resource, found: Differences): void {
  for (const field of before.computed.values()) {
    const path = `${before.name}.${field.name}`
    const now = after.computed.get(field.name)
    if (now) compareOwn(field, now, path, found)
    else if (!after.fields.has(field.name)) found.removed(path, `field ${path}`, field.deprecated !== null)
    else found.additive(path, `${path} was computed and is stored now`)
  }
  for (const { name } of after.computed.values()) {
    const path = `${after.name}.${name}`
    if (!before.computed.has(name) && !before.fields.has(name)) found.additive(path, `field ${path} is new`)
  }
}

export function compareOperations(before: Model, after: Model, found: Differences): void {
  const pathOf = ({ root, name }: CustomOperation) => `${root}.${name}`
  const now = new Map(after.operations.map((operation) => [pathOf(operation), operation]))
  for (const operation of before.operations) {
    const path = pathOf(operation)
    const same = now.get(path)
    if (!same) found.removed(path, `operation ${path}`, operation.deprecated !== null)
    else compareOwn(operation, same, path, found)
    if (same && same.path !== operation.path) {
      const message = `the path of ${path} was /${operation.path} and is /${same.path} now`
      found.breaking(path, message, { affects: 'clients' }, 'Restore the previous value.')
    }
  }
  const known = new Set(before.operations.map(pathOf))
  for (const path of now.keys()) if (!known.has(path)) found.additive(path, `operation ${path} is new`)
}

type CustomMember = Pick<CustomOperation, 'type' | 'required' | 'args'>

function compareOwn(before: CustomMember, after: CustomMember, path: string, found: Differences): void {
  const was = printCustomType(before.type)
  const is = printCustomType(after.type)
  if (was !== is) found.breaking(path, `${path} was ${was} and is ${is} now`, { affects: 'readers' }, otherName)
  else if (before.required && !after.required)
    found.breaking(path, `${path} may be null now`, { affects: 'readers' }, 'Make it required again.')
  compareArguments(before, after, path, found)
}

function compareArguments(before: CustomMember, after: CustomMember, path: string, found: Differences): void {
  const now = new Map(after.args.map((arg) => [arg.name, arg]))
  for (const arg of before.args) {
    const place = `${path}(${arg.name})`
    const same = now.get(arg.name)
    if (!same) found.removed(place, `argument ${place}`, arg.deprecated !== null)
    else if (printType(same.type) !== printType(arg.type)) {
      const change = `${place} was ${printType(arg.type)} and is ${printType(same.type)} now`
      found.breaking(place, change, { affects: 'readers' }, otherName)
    } else if (same.required && same.default === undefined && !(arg.required && arg.default === undefined)) {
      found.breaking(place, `${place} is required now`, { affects: 'readers' }, optionalOrDefault)
    }
  }
  const known = new Set(before.args.map(({ name }) => name))
  for (const { name, required, default: start } of after.args) {
    if (known.has(name) || !required || start !== undefined) continue
    const message = `${path} has a new required argument ${name}`
    found.breaking(path, message, { affects: 'readers' }, optionalOrDefault)
  }
}
