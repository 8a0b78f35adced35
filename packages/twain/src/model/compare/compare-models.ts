// Lists what a new schema changes compared with the one that was served. A change is breaking if a request that succeeded
// could now fail or return something else, or if existing rows might not satisfy it. A change is additive if only the
// database must add something, or if it is worth knowing. Both APIs come from the model alone, so this list covers both
// (docs/internals/decisions/0023-breaking-changes.md).

import { unreachable } from '#base'
import type {
  Abstract,
  Field,
  Json,
  LinksField,
  Model,
  ModelType,
  ReferenceField,
  Resource,
  StoredField,
  ToManyField,
} from '../model.ts'
import { kebabCase } from '../names/case.ts'
import { hasNodeInterface, nodeInterface } from '../names/node-interface.ts'
import { plural } from '../names/plural.ts'
import { printType } from '../print-type.ts'
import { isAccountTime } from '../values/operators.ts'
import { compareComputed, compareOperations } from './computed.ts'
import { compareCache, compareCost } from './cost-and-cache.ts'
import { compareDeprecation, type Difference, Differences, optionalOrDefault, otherName } from './differences.ts'
import { compareHistories } from './history.ts'
import { compareIndexes, compareSearches } from './indexes.ts'
import { compareNames } from './names.ts'
import { compareRemovedType, words } from './removed-types.ts'
import { applyRenames, findRenames } from './renames.ts'
import { compareAccounts, compareRules } from './rules.ts'
import { compareSoftDeletes } from './soft-delete.ts'
import { compareStateMachines } from './state-machines.ts'
import {
  compareCollations,
  compareConstraints,
  compareDefaults,
  compareEnum,
  compareInputs,
  compareValue,
} from './values.ts'
import { compareViews } from './views.ts'

type ComparedColumn = StoredField | ReferenceField

/** The last comparison with each model: a reload compares in the store, and again for its report. */
const lastComparisons = new WeakMap<Model, { after: WeakRef<Model>; differences: readonly Difference[] }>()

export function compareModels(previous: Model, after: Model): readonly Difference[] {
  const last = lastComparisons.get(previous)
  if (last?.after.deref() === after) return last.differences
  const differences = findDifferences(previous, after)
  lastComparisons.set(previous, { after: new WeakRef(after), differences })
  return differences
}

function findDifferences(previous: Model, after: Model): Difference[] {
  const found = new Differences()
  // Renamed types and fields are compared under their new names.
  const renames = findRenames(previous, after)
  const before = applyRenames(previous, renames)
  compareNames(previous, before, after, renames, found)
  for (const type of before.types.values()) {
    const now = after.types.get(type.name)
    if (now) compareType(type, now, after, found)
    else compareRemovedType(type, before, found)
  }
  for (const type of after.types.values()) {
    if (!before.types.has(type.name)) found.additive(type.name, `${words[type.kind]} ${type.name} is new`)
  }
  compareNodeInterface(previous, after, found)
  compareInputs(before, after, found)
  compareAccounts(before, after, found)
  compareOperations(before, after, found)
  compareRules(before, after, found)
  return found.all
}

/** A type or operation with one of its names takes the interface away. */
function compareNodeInterface(before: Model, after: Model, found: Differences): void {
  if (after.resources.length === 0 || !hasNodeInterface(before) || hasNodeInterface(after)) return
  const message = '`node`, `nodes` and `_nodeId` of GraphQL are gone: something else has the name Node, node or nodes'
  found.breaking(nodeInterface, message, { affects: 'readers' }, otherName)
}

function compareType(before: ModelType, after: ModelType, model: Model, found: Differences): void {
  if (before.kind === 'resource' && after.kind === 'resource') compareResource(before, after, model, found)
  else if (before.kind === 'value' && after.kind === 'value') compareValue(before, after, found)
  else if (before.kind === 'enum' && after.kind === 'enum') compareEnum(before, after, found)
  else if (before.kind === 'abstract' && after.kind === 'abstract') compareAbstract(before, after, found)
  else if (before.kind !== after.kind) {
    const message = `${before.name} was ${kinds[before.kind]} and is ${kinds[after.kind]} now`
    found.breaking(before.name, message, { affects: 'clients', rows: 'dropped' }, otherName)
  }
}

const kinds: Readonly<Record<ModelType['kind'], string>> = {
  resource: 'a resource',
  value: 'a value type',
  abstract: 'an interface or union',
  enum: 'an enum',
  custom: 'a scalar',
}

function compareResource(before: Resource, after: Resource, model: Model, found: Differences): void {
  comparePath(before, after, found)
  compareCache(before, after, before.name, found)
  if (before.view !== undefined || after.view !== undefined) {
    compareViews(before, after, found)
    return
  }
  for (const field of fieldsOfFile(before)) {
    const path = `${before.name}.${field.name}`
    const now = after.fields.get(field.name)
    if (now) compareField(field, now, path, found)
    else found.removed(path, `field ${path}`, field.deprecated !== null, 'dropped', 'field')
  }
  for (const field of fieldsOfFile(after)) {
    if (!before.fields.has(field.name)) compareNewField(field, `${after.name}.${field.name}`, found)
  }
  compareComputed(before, after, found)
  compareIndexes(before, after, found)
  compareSearches(before, after, found)
  compareSoftDeletes(before, after, found)
  compareHistories(before, after, found)
  compareStateMachines(before, after, model.account?.resource ?? null, found)
  compareMembership(before, after, found)
}

/** Without the fields that the server adds to accounts: they come and go with `@account`. */
function fieldsOfFile({ fields }: Resource): Field[] {
  return [...fields.values()].filter((field) => field.kind !== 'stored' || !isAccountTime(field.auto))
}

function compareMembership(before: Resource | Abstract, after: Resource | Abstract, found: Differences): void {
  const left = before.memberOf.filter(({ name }) => !after.memberOf.some((now) => now.name === name))
  for (const { name } of left) {
    found.breaking(
      before.name,
      `${before.name} is no longer a member of ${name}`,
      { affects: 'readers', rows: 'unused' },
      'Put it back.',
    )
  }
}

function comparePath(before: Resource | Abstract, after: Resource | Abstract, found: Differences): void {
  const { name } = before
  // A path that came from a previous name goes together with that name, which was deprecated.
  const ofName = before.alias === undefined ? null : plural(kebabCase(before.alias))
  const lost = before.previousPaths.find(
    (path) => path !== after.path && path !== ofName && !after.previousPaths.includes(path),
  )
  if (lost !== undefined) {
    const hint = `Add @resource(was: ["${lost}"]).`
    found.breaking(name, `/${lost} no longer redirects to ${name}`, { affects: 'clients' }, hint)
  }
  if (before.path === after.path) return
  const change = `the path of ${name} was /${before.path} and is /${after.path} now`
  if (after.previousPaths.includes(before.path)) found.additive(name, `${change}; the previous path redirects there`)
  else found.breaking(name, change, { affects: 'clients' }, `Add @resource(was: ["${before.path}"]).`)
}

function compareField(before: Field, after: Field, path: string, found: Differences): void {
  const was = shapeOf(before)
  const is = shapeOf(after)
  if (was !== is) {
    const message = `${path} was ${was} and is ${is} now`
    found.breaking(
      path,
      message,
      { affects: 'clients', rows: isMissedByOldRows(after) ? 'none' : 'dropped' },
      otherName,
    )
    return
  }
  if (!before.required && after.required && !isWithoutColumn(after)) {
    const message = `${path} was optional and is required now`
    found.breaking(path, message, { affects: 'writers', rows: 'filled' }, 'Make it optional again.')
  } else if (before.required && !after.required && !isWithoutColumn(after)) {
    found.breaking(path, `${path} may be null now`, { affects: 'readers' }, 'Make it required again.')
  }
  compareDeprecation(before, after, path, found)
  compareCost(before, after, path, found)
  compareCache(before, after, path, found)
  if (before.kind === 'many' && after.kind === 'many') compareDefaultChildren(before, after, path, found)
  if (before.kind === 'stored' && after.kind === 'stored') {
    compareConstraints(before.constraint, after.constraint, path, found)
    compareCollations(before, after, path, found)
  }
  if (before.kind === 'reference' && after.kind === 'reference' && before.onDelete !== after.onDelete) {
    const message = `${path} did ${before.onDelete} on delete and does ${after.onDelete} now`
    found.breaking(path, message, { affects: 'writers' }, 'Restore the previous value.')
  }
  if ('immutable' in before && 'immutable' in after) compareWriting(before, after, path, found)
}

function compareWriting(before: ComparedColumn, after: ComparedColumn, path: string, found: Differences): void {
  const affects = 'writers'
  if (!before.auto && after.auto) {
    const message = `${path} is set by the server now, and can't be written any more`
    found.breaking(path, message, { affects }, 'Remove @auto.')
  } else if (before.auto && !after.auto) {
    const change = `${path} was set by the server, and every create must include it now`
    if (isRequiredInput(after)) found.breaking(path, change, { affects }, optionalOrDefault)
    else found.warning(path, `${path} is no longer set by the server, and can be written`, 'readers')
  } else if (before.auto !== after.auto) {
    found.warning(path, `${path} was set to ${before.auto} and is set to ${after.auto} now`, 'readers')
  }
  if (!before.immutable && after.immutable) {
    found.breaking(path, `${path} can only be written on create now`, { affects }, 'Remove @immutable.')
  }
  if (before.immutable && !after.immutable) found.additive(path, `${path} can be written after create now`)
  if (hasDefault(before) && isRequiredInput(after)) {
    const message = `${path} has no default any more, so every create must include it now`
    found.breaking(path, message, { affects }, optionalOrDefault)
  } else if (!isRequiredInput(before) && !(isStateMachine(before) && isStateMachine(after))) {
    compareDefaults(defaultOf(before), defaultOf(after), path, found)
  }
}

function isRequiredInput(field: ComparedColumn): boolean {
  return field.required && field.auto === null && !hasDefault(field)
}

function hasDefault(field: ComparedColumn): boolean {
  return defaultOf(field) !== undefined
}

function defaultOf(field: ComparedColumn): Json | undefined {
  if (field.defaultClaim !== undefined) return { claim: field.defaultClaim }
  return field.kind === 'reference' && field.defaultsToViewer ? 'VIEWER' : field.default
}

/** The initial states of two state machines are compared together with their transitions. */
function isStateMachine(field: ComparedColumn): boolean {
  return field.kind === 'stored' && field.stateMachine !== undefined
}

function compareDefaultChildren(before: ToManyField, after: ToManyField, path: string, found: Differences): void {
  const was = printChildren(before)
  const is = printChildren(after)
  if (was !== is) found.warning(path, `a create added ${was} to ${path} and adds ${is} now`, 'writers')
}

function printChildren({ defaultChildren }: ToManyField): string {
  if (defaultChildren.length === 0) return 'no rows'
  const rows = defaultChildren.map((child) =>
    Object.fromEntries([...child].map(([{ name }, given]) => [name, 'viewer' in given ? 'VIEWER' : given.value])),
  )
  return JSON.stringify(rows)
}

/** A `!` on a field without a column binds neither the database nor clients: a list is never null, and an inverse may
 *  always be null. */
function isWithoutColumn({ kind }: Field): boolean {
  return kind === 'inverse' || kind === 'many' || kind === 'links'
}

function compareNewField(field: Field, path: string, found: Differences): void {
  if (isMissedByOldRows(field)) {
    const hint = field.kind === 'stored' ? optionalOrDefault : 'Make it optional.'
    const message = `${path} is new and required, and existing rows have no value for it`
    found.breaking(path, message, { affects: 'writers', rows: 'none' }, hint)
  } else {
    found.additive(path, `field ${path} is new`)
  }
}

/** Existing rows get a default or a time that the server sets. No value can be chosen for a required reference. */
function isMissedByOldRows(field: Field): boolean {
  if (!field.required || isWithoutColumn(field)) return false
  return field.kind !== 'stored' || (field.auto === null && field.default === undefined)
}

/** Describes the field in one phrase, leaving out nullability. Two fields with the same phrase have the same type. */
function shapeOf(field: Field): string {
  switch (field.kind) {
    case 'stored':
      return printType(field.type)
    case 'reference':
      return `a reference to ${field.to.name}`
    case 'inverse':
    case 'many':
      return `the other side of ${field.via.owner.name}.${field.via.name}`
    case 'links':
      return `many-to-many with ${otherSide(field)}`
    default:
      return unreachable(field)
  }
}

/** The order of the two sides in the file does not matter. */
function otherSide({ to, link, side }: LinksField): string {
  const other = side === 'left' ? link.right : link.left
  return other ? `${to.name}.${other.name}` : to.name
}

const forms = { interface: 'an interface', union: 'a union' } as const

function compareAbstract(before: Abstract, after: Abstract, found: Differences): void {
  comparePath(before, after, found)
  compareMembership(before, after, found)
  if (before.form !== after.form) {
    const message = `${before.name} was ${forms[before.form]} and is ${forms[after.form]} now`
    found.breaking(before.name, message, { affects: 'readers' }, otherName)
  }
  compareCache(before, after, before.name, found)
  for (const field of before.fields.values()) {
    const path = `${before.name}.${field.name}`
    const now = after.fields.get(field.name)
    const isGone = now === undefined && before.form === 'interface'
    if (isGone) found.removed(path, `field ${path}`, field.deprecated !== null, 'stay', 'field')
    if (now !== undefined && after.form === 'interface') compareInterfaceField(field, now, path, found)
  }
  for (const { name } of after.members) {
    const isNew = !before.members.some((member) => member.name === name)
    if (isNew)
      found.warning(after.name, `${name} is a member of ${after.name} now, and responses may contain it`, 'readers')
  }
}

/** The members may keep a type that the interface no longer promises. */
function compareInterfaceField(before: Field, after: Field, path: string, found: Differences): void {
  const was = shapeOf(before)
  const is = shapeOf(after)
  if (was !== is) found.breaking(path, `${path} was ${was} and is ${is} now`, { affects: 'readers' }, otherName)
  else if (before.required && !after.required && !isWithoutColumn(after))
    found.breaking(path, `${path} may be null now`, { affects: 'readers' }, 'Make it required again.')
  compareDeprecation(before, after, path, found)
}
