// Random input: few values that collide often, so that conflicts are frequent; sometimes an invalid one.

import type {
  Abstract,
  Field,
  ReferenceField,
  Resource,
  StoredField,
  StoredType,
  ToManyField,
} from '../../packages/twain/src/model/index.ts'
import type { Random } from '../fuzz/random.ts'
import { samples } from '../generate/random-rows.ts'
import type { KnownIds } from './known-ids.ts'

export type Input = Record<string, unknown>

/** Values that the field can never have. */
const wrong = [{}, 'no such value', -1.5, '\u0000', [[1]]]

/** `isWhole`: with all required fields. */
export function drawRow(random: Random, known: KnownIds, of: Resource, isWhole: boolean): Input {
  const input: Input = {}
  for (const field of of.fields.values()) {
    const isNeeded = isWhole && field.required && !('default' in field)
    if (field.name === 'id' || !random.chance(isNeeded ? 0.97 : 0.35)) continue
    const value = drawField(random, known, field, isWhole)
    if (value !== undefined) input[field.name] = value
  }
  if (of === known.model.account?.resource && random.chance(0.8)) input.password = 'correct horse'
  if (random.chance(0.02)) input.unknown = 1
  return input
}

/** Undefined: omitted. */
export function drawField(random: Random, known: KnownIds, field: Field, isWhole: boolean): unknown {
  if (random.chance(0.02)) return random.one(wrong)
  if (!field.required && random.chance(0.5)) return null
  switch (field.kind) {
    case 'stored':
      if (field.auto !== null && random.chance(0.98)) return undefined
      // There are few values: in a unique field all would soon be taken.
      return isUnique(field) && random.chance(0.5) ? `u${random.between(1, 99)}` : drawValue(random, field.type)
    case 'reference':
      return field.auto === null ? drawTarget(random, known, field.to) : undefined
    case 'links':
      return Array.from({ length: random.between(0, 3) }, () => drawTarget(random, known, field.to))
    case 'many':
      return isWhole && random.chance(0.5) ? drawOwned(random, known, field) : undefined
    case 'inverse':
      return undefined
  }
}

function isUnique(field: StoredField): boolean {
  const isText = field.type.kind === 'scalar' && field.type.name === 'String'
  return isText && field.owner.indexes.some(({ unique, fields }) => unique && fields.includes(field))
}

export function drawValue(random: Random, type: StoredType): unknown {
  switch (type.kind) {
    case 'scalar':
      return random.one(samples[type.name]!)
    case 'enum':
      return random.one(type.enum.values).name
    case 'custom':
      return random.one(samples.JSON!)
    case 'list':
      return Array.from({ length: random.between(0, 3) }, () =>
        !type.itemRequired && random.chance(0.5) ? null : drawValue(random, type.of),
      )
    case 'value': {
      const parts = [...type.value.fields.values()].filter(({ required }) => required || random.chance(0.6))
      return Object.fromEntries(parts.map((part) => [part.name, drawValue(random, part.type)]))
    }
  }
}

export function drawTarget(random: Random, known: KnownIds, to: Resource | Abstract): string {
  const of = to.kind === 'abstract' ? random.one(to.members) : to
  const id = known.id(of, random)
  return to.kind === 'abstract' && random.chance(0.7) ? `${of.name}:${id}` : id
}

/** Nested rows, without their reference to the parent. */
function drawOwned(random: Random, known: KnownIds, { to, via }: ToManyField): Input[] {
  return Array.from({ length: random.between(0, 2) }, () => {
    const { [via.name]: _back, password: _none, ...row } = drawPlain(random, known, to, via)
    return row
  })
}

function drawPlain(random: Random, known: KnownIds, of: Resource, back: ReferenceField): Input {
  const row: Input = {}
  for (const field of of.fields.values()) {
    if (field === back || field.kind === 'many' || field.kind === 'inverse' || field.name === 'id') continue
    if (!field.required && random.chance(0.6)) continue
    const value = drawField(random, known, field, false)
    if (value !== undefined) row[field.name] = value
  }
  return row
}

/** A body as XML (docs/reference/rest.md, R52). */
export function toXml(of: Resource, input: Input | Input[]): string {
  if (Array.isArray(input)) return element(of.list, input.map((row) => toXml(of, row)).join(''))
  const members = Object.entries(input).map(([name, value]) => {
    const field = of.fields.get(name)
    return memberXml(name, value, field?.kind === 'stored' ? field.type : null)
  })
  return element(of.single, members.join(''))
}

function memberXml(name: string, value: unknown, type: StoredType | null): string {
  if (value === null) return `<${name} nil="true"/>`
  if (type?.kind === 'custom' || (type?.kind === 'scalar' && type.name === 'JSON'))
    return element(name, escaped(JSON.stringify(value)))
  if (Array.isArray(value)) {
    const item = type?.kind === 'list' ? type.of : null
    return element(name, value.map((each) => memberXml('item', each, item)).join(''))
  }
  if (typeof value !== 'object') return element(name, escaped(String(value)))
  const parts = Object.entries(value).map(([key, part]) => {
    return memberXml(key, part, type?.kind === 'value' ? (type.value.fields.get(key)?.type ?? null) : null)
  })
  return element(name, parts.join(''))
}

function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
