// Filters to try on a type: every field, directly, through references and lists, and negated.

import {
  type Abstract,
  type Field,
  isJson,
  type Resource,
  type StoredField,
} from '../../packages/twain/src/model/index.ts'
import type { Where } from '../generate/oracle-values.ts'
import type { ReferenceRules } from './reference-rules.ts'
import type { RowsInMemory } from './rows-in-memory.ts'

export function filtersOf(world: RowsInMemory, of: Resource): Where[] {
  const direct = [...of.fields.values()].flatMap((field) => fieldFilters(world, field, 1))
  const turned = direct.filter((_, at) => at % 2 === 0).map((where) => ({ not: where }))
  const joined = direct
    .slice(1)
    .map((where, at) => (at % 2 ? { or: [where, { not: direct[at]! }] } : { and: [where, direct[at]!] }))
  return [...direct, ...turned, ...joined]
}

function fieldFilters(world: RowsInMemory, field: Field, depth: number): Where[] {
  if (field.kind === 'stored') return valueFilters(world, field, depth)
  const of = field.to
  const id = world.spots(of).at(-1)?.row.id ?? 'none'
  const below =
    of.kind === 'abstract'
      ? [{ id: { eq: id } }, ...typeFilters(world, of, depth - 1)]
      : depth === 0
        ? [{ id: { eq: id } }]
        : targetFilters(world, of, depth - 1)
  if (field.kind === 'many' || field.kind === 'links')
    return below.flatMap((where) => [
      { [field.name]: { some: where } },
      { [field.name]: { none: where } },
      { [field.name]: { every: where } },
    ])
  return [{ isNull: true }, { isNull: false }, ...below].map((where) => ({ [field.name]: where }))
}

/** By the type, and by the fields of each type, also negated. */
function typeFilters(world: RowsInMemory, of: Abstract, depth: number): Where[] {
  if (depth < 0) return []
  const names = of.members.map(({ name }) => name)
  const byType = [{ _type: { eq: names[0] } }, { _type: { ne: names[0] } }, { _type: { in: names.slice(1) } }]
  const byFields = of.members.flatMap((member) =>
    targetFilters(world, member, depth).map((where) => ({ [member.name]: where })),
  )
  return [...byType, ...byFields, ...byFields.map((where) => ({ not: where }))]
}

function targetFilters(world: RowsInMemory, of: Resource, depth: number): Where[] {
  const own = of === world.model.account?.resource ? [{ isViewer: true }, { isViewer: false }] : []
  return [...own, ...[...of.fields.values()].flatMap((field) => fieldFilters(world, field, depth).slice(0, 2))]
}

function valueFilters(world: RowsInMemory, field: StoredField, depth: number): Where[] {
  if (isJson(field.type)) return jsonFilters(field)
  if (field.type.kind === 'list') return [{ [field.name]: { contains: 'editor' } }]
  const values = world.spots(field.owner).map(({ row }) => row[field.name])
  const value = values.find((each) => each !== null)
  // No row has one: nothing to compare with.
  if (value === undefined) return [{ [field.name]: { isNull: true } }, { [field.name]: { isNull: false } }]
  const tests: Where[] = [{ eq: value }, { ne: value }]
  if (depth > 0) tests.push({ isNull: true }, { isNull: false })
  if (depth > 0 && typeof value !== 'boolean') tests.push({ in: [value] }, { notIn: [value] })
  if (depth > 0 && typeof value === 'number')
    tests.push({ lt: value + 1 }, { gte: value }, { between: [value, value + 1] })
  if (depth > 0 && typeof value === 'string' && field.type.kind === 'scalar' && field.type.name === 'String')
    tests.push(
      { contains: value.slice(1) },
      { startsWith: value.slice(0, 1) },
      { gt: value },
      { ieq: value.toUpperCase() },
    )
  return tests.map((test) => ({ [field.name]: test }))
}

/** By values inside, of the type that is there and of another. */
function jsonFilters({ name }: StoredField): Where[] {
  const tests: Where[] = [
    { isNull: true },
    { path: 'level', eq: 1 },
    { path: 'level', ne: 1 },
    { path: 'level', gte: 2 },
    { path: 'tag.kind', eq: 'x' },
    { path: 'tag.kind', in: ['x', 3] },
    { path: 'tag.kind', startsWith: 'x' },
    { path: 'tag.kind', isNull: true },
    { path: 'tag', exists: false },
    { path: 'level', eq: '1' },
  ]
  return tests.map((test) => ({ [name]: test }))
}

/** Whether a filter uses a field that this viewer can never read. */
export function asksHidden(reference: ReferenceRules, of: Resource | Abstract, where: Where): boolean {
  return Object.entries(where).some(([key, part]) => {
    if (key === 'and' || key === 'or') return (part as Where[]).some((each) => asksHidden(reference, of, each))
    if (key === 'not' || key === 'some' || key === 'none' || key === 'every')
      return asksHidden(reference, of, part as Where)
    if (key === 'isViewer' || key === 'isNull' || key === '_type') return false
    const member = of.kind === 'abstract' ? of.members.find(({ name }) => name === key) : undefined
    if (member !== undefined) return asksHidden(reference, member, part as Where)
    if (of.kind === 'abstract') return false // the shared fields that are tried are never hidden
    const field = of.fields.get(key)!
    if (!reference.couldField('READ', field)) return true
    return field.kind !== 'stored' && asksHidden(reference, field.to, part as Where)
  })
}
