// Compares computed fields and custom operations: no column depends on them, but clients do.

import type { Argument, ComputedField, CustomOperation, Model, Resource } from '../model.ts'
import { printCustomType, printType } from '../print-type.ts'
import { compareCache, compareCost } from './cost-and-cache.ts'
import { compareDeprecation, type Differences, optionalOrDefault, otherName } from './differences.ts'
import { type CoverableRule, covers, printRule } from './rule-coverage.ts'
import { compareInputDefaults } from './values.ts'

export function compareComputed(before: Resource, after: Resource, found: Differences): void {
  for (const field of before.computed.values()) {
    const path = `${before.name}.${field.name}`
    const now = after.computed.get(field.name)
    if (now) compareOwn(field, now, path, found)
    else if (!after.fields.has(field.name))
      found.removed(path, `field ${path}`, field.deprecated !== null, 'stay', 'field')
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
    else {
      compareOwn(operation, same, path, found)
      compareCallers(callersOf(operation, before), callersOf(same, after), path, found)
    }
    if (same && same.path !== operation.path) {
      const message = `the path of ${path} was /${operation.path} and is /${same.path} now`
      found.breaking(path, message, { affects: 'clients' }, 'Restore the previous value.')
    }
  }
  const known = new Set(before.operations.map(pathOf))
  for (const path of now.keys()) if (!known.has(path)) found.additive(path, `operation ${path} is new`)
}

/** Rules without rows, as those that cover one another. */
function callersOf({ rules }: CustomOperation, { account }: Model): CoverableRule[] {
  if (rules.length > 0) return rules.map(({ who, role, verified }) => ({ who, role, verified, where: null }))
  return [{ who: { kind: 'anyone' }, role: account === null ? null : 'admin', where: null }]
}

function compareCallers(was: CoverableRule[], is: CoverableRule[], path: string, found: Differences): void {
  const uncovered = (rules: CoverableRule[], others: CoverableRule[]) =>
    rules.filter((rule) => !others.some((other) => covers(other, rule, null)))
  for (const rule of uncovered(was, is)) {
    const message = `${printRule(rule)} could call ${path}, and no rule allows it now`
    found.breaking(path, message, { affects: 'viewers' }, 'Put the rule back, or write a wider one.')
  }
  for (const rule of uncovered(is, was)) found.additive(path, `${printRule(rule)} may call ${path} now`)
}

type CustomMember = CustomOperation | ComputedField

function compareOwn(before: CustomMember, after: CustomMember, path: string, found: Differences): void {
  const was = printCustomType(before.type)
  const is = printCustomType(after.type)
  if (was !== is) found.breaking(path, `${path} was ${was} and is ${is} now`, { affects: 'readers' }, otherName)
  else if (before.required && !after.required)
    found.breaking(path, `${path} may be null now`, { affects: 'readers' }, 'Make it required again.')
  else if (!before.required && after.required) found.additive(path, `${path} is never null now`)
  compareDeprecation(before, after, path, found)
  compareCost(before, after, path, found)
  compareCache(before, after, path, found)
  compareArguments(before, after, path, found)
}

function compareArguments(before: CustomMember, after: CustomMember, path: string, found: Differences): void {
  const now = new Map(after.args.map((arg) => [arg.name, arg]))
  for (const arg of before.args) {
    const place = `${path}(${arg.name})`
    const same = now.get(arg.name)
    if (same) compareArgument(arg, same, place, found)
    else found.removed(place, `argument ${place}`, arg.deprecated !== null)
  }
  const known = new Set(before.args.map(({ name }) => name))
  for (const arg of after.args) {
    if (known.has(arg.name)) continue
    const place = `${path}(${arg.name})`
    if (!isRequiredInput(arg)) found.additive(place, `argument ${place} is new`)
    else {
      const message = `${path} has a new required argument ${arg.name}`
      found.breaking(path, message, { affects: 'readers' }, optionalOrDefault)
    }
  }
}

function compareArgument(before: Argument, after: Argument, place: string, found: Differences): void {
  const was = printType(before.type)
  const is = printType(after.type)
  if (was !== is) {
    found.breaking(place, `${place} was ${was} and is ${is} now`, { affects: 'readers' }, otherName)
    return
  }
  if (isRequiredInput(after)) {
    if (!isRequiredInput(before))
      found.breaking(place, `${place} is required now`, { affects: 'readers' }, optionalOrDefault)
  } else if (isRequiredInput(before)) found.additive(place, `${place} is optional now`)
  else {
    compareInputDefaults(before.default, after.default, place, found)
    if (!before.required && after.required)
      found.breaking(place, `${place} must not be null now`, { affects: 'readers' }, 'Make it optional again.')
    else if (before.required && !after.required) found.additive(place, `${place} may be null now`)
  }
  compareDeprecation(before, after, place, found)
}

/** Whether a request must name it. */
function isRequiredInput({ required, default: start }: Argument): boolean {
  return required && start === undefined
}
