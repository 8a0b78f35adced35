// The aliases (`@was`) and the `@deprecated` arguments, enum values and fields of values that a request uses, and which it answers with
// `Deprecation`. They are beside the plan and not in it: they depend on values, and the plan is the same under both names.

import { isRecord, unreachable } from '#base'
import type { Argument, ComputedField, CustomOperation, Model, StoredType, ValueType } from '#model'
import { hasOneName, itemNamed, type Named, namesOf } from '#model/names'
import type { BoundPlan, DeprecatedNames, ParameterType } from '../plan.ts'

/** Stands for all aliases of a type: of its name, and of its path. No name of a schema has a space. */
export function typeAlias({ name }: { name: string }): string {
  return `${name} (previous name)`
}

/** `Post.heading`: of a field, of a member of a value, or of an enum value. */
export function memberAlias(of: { name: string }, alias: string | undefined): string {
  return `${of.name}.${alias}`
}

/** `Query.longest(unit)`, `Post.label(loud)`. */
export function argumentPath(of: ComputedField | CustomOperation, { name }: Argument): string {
  return `${'owner' in of ? of.owner.name : of.root}.${of.name}(${name})`
}

/** All aliases of the schema. */
export function* aliasesIn({ resources, abstracts, values, enums }: Model): Iterable<string> {
  for (const of of [...resources, ...abstracts]) {
    if (!hasOneName(of) || of.previousPaths.length > 0) yield typeAlias(of)
    yield* memberAliases(of, [...of.fields.values(), ...of.computed.values()])
  }
  for (const of of values) yield* memberAliases(of, of.fields.values())
  for (const of of enums) yield* memberAliases(of, of.values)
}

function* memberAliases(of: { name: string }, members: Iterable<Named>): Iterable<string> {
  for (const member of members) if (!hasOneName(member)) yield memberAlias(of, member.alias)
}

/** The plan of a request that has used these aliases too. */
export function withUsedAliases<P extends BoundPlan>(boundPlan: P, more: readonly string[]): P {
  if (more.length === 0) return boundPlan
  const { names = [], parameters = [], args = [] } = boundPlan.deprecated ?? {}
  return { ...boundPlan, deprecated: { names: [...names, ...more], parameters, args } }
}

/** Whether a value of this parameter can have something deprecated: an enum value, or a field of a value type. */
export function mayBeDeprecated(accepts: ParameterType): boolean {
  const type = typeOf(accepts)
  return type !== null && isMarked(type)
}

/** What is deprecated among the request's own words, and in its values. */
export function allDeprecatedNames({ names, parameters, args }: DeprecatedNames, values: readonly unknown[]): string[] {
  const found = [...names]
  for (const { index, path } of args) if (values[index] !== undefined) found.push(path)
  for (const { index, accepts } of parameters) collect(typeOf(accepts)!, values[index], found)
  return found
}

function typeOf(accepts: ParameterType): StoredType | null {
  switch (accepts.kind) {
    case 'type':
    case 'types':
    case 'bound':
      return accepts.type
    case 'field':
      return accepts.field.kind === 'stored' ? accepts.field.type : null
    case 'argument':
      return accepts.argument.type
    case 'ids':
    case 'increment':
    case 'size':
    case 'offset':
    case 'version':
    case 'password':
    case 'currentPassword':
    case 'search':
    case 'timeZone':
    case 'path':
    case 'image':
      return null
    default:
      return unreachable(accepts)
  }
}

function isMarked(type: StoredType): boolean {
  switch (type.kind) {
    case 'list':
      return isMarked(type.of)
    case 'enum':
      return type.enum.values.some(isOld)
    case 'value':
      return isMarkedValue(type.value)
    case 'scalar':
    case 'custom':
      return false
    default:
      return unreachable(type)
  }
}

/** Whether it is deprecated, or was called something else. */
function isOld(item: Named & { deprecated: string | null }): boolean {
  return item.deprecated !== null || !hasOneName(item)
}

const markedValues = new WeakMap<ValueType, boolean>()

function isMarkedValue(value: ValueType): boolean {
  const known = markedValues.get(value)
  if (known !== undefined) return known
  markedValues.set(value, false) // an input type can contain itself
  const isFound = [...value.fields.values()].some((field) => isOld(field) || isMarked(field.type))
  markedValues.set(value, isFound)
  return isFound
}

function collect(type: StoredType, value: unknown, found: string[]): void {
  if (Array.isArray(value)) {
    const item = type.kind === 'list' ? type.of : type
    for (const one of value) collect(item, one, found)
  } else if (type.kind === 'enum') {
    const item = itemNamed(type.enum.values, value)
    if (item !== undefined && isOld(item)) found.push(memberAlias(type.enum, String(value)))
  } else if (type.kind === 'value' && isRecord(value)) {
    for (const field of type.value.fields.values()) {
      const used = namesOf(field).find((name) => value[name] !== undefined)
      if (used === undefined) continue
      if (isOld(field)) found.push(memberAlias(type.value, used))
      collect(field.type, value[used], found)
    }
  }
}
