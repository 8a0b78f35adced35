// Valid input for any resource, from its Model: every writable field gets a value that differs from row to row.

import { unreachable } from '../../packages/twain/src/base/index.ts'
import type { Abstract, Field, Resource, ScalarName, StoredType } from '../../packages/twain/src/model/index.ts'

export type Input = Record<string, unknown>

/** Ids of the rows that references can use, newest last. */
export type Ids = (target: Resource | Abstract) => string[]

export function generateInput(resource: Resource, turn: number, ids: Ids): Input {
  const input: Input = {}
  for (const field of resource.fields.values()) {
    if (field.name === 'id') continue
    const value = fieldValue(field, turn, ids)
    if (value !== undefined) input[field.name] = value
  }
  return input
}

/** Resources in an order in which each refers to earlier ones only. */
export function makeOrder(resources: readonly Resource[]): Resource[] {
  const ordered: Resource[] = []
  const visit = (resource: Resource) => {
    if (ordered.includes(resource)) return
    for (const field of resource.fields.values()) {
      if (field.kind !== 'reference' || !field.required || field.to === resource) continue
      for (const target of membersOf(field.to)) visit(target)
    }
    ordered.push(resource)
  }
  for (const resource of resources) visit(resource)
  return ordered
}

export function membersOf(target: Resource | Abstract): Resource[] {
  return target.kind === 'resource' ? [target] : target.members
}

function fieldValue(field: Field, turn: number, ids: Ids): unknown {
  switch (field.kind) {
    case 'stored':
      if (field.auto !== null) return undefined
      // Every third row omits its optional fields.
      return !field.required && turn % 3 === 2 ? undefined : storedValue(field.type, turn)
    case 'reference': {
      const candidates = ids(field.to)
      // For a one-to-one reference, a row that no other refers to.
      if (field.unique) return candidates[turn] ?? undefined
      return candidates.length === 0 ? undefined : candidates[turn % candidates.length]
    }
    case 'links':
      return ids(field.to).slice(0, 1 + (turn % 2))
    case 'inverse':
    case 'many':
      return undefined
    default:
      return unreachable(field)
  }
}

function storedValue(type: StoredType, turn: number): unknown {
  switch (type.kind) {
    case 'scalar':
      return scalarValues[type.name](turn)
    case 'custom':
      return `own ${turn}`
    case 'enum':
      return type.enum.values[turn % type.enum.values.length]!.name
    case 'value':
      return Object.fromEntries(
        Array.from(type.value.fields.values(), (field) => [
          field.name,
          !field.required && turn % 2 === 1 ? null : storedValue(field.type, turn),
        ]),
      )
    case 'list':
      return Array.from({ length: turn % 3 }, (_, index) => storedValue(type.of, turn + index))
    default:
      return unreachable(type)
  }
}

const scalarValues: Record<ScalarName, (turn: number) => unknown> = {
  Int: (turn) => 1000 + turn,
  Float: (turn) => turn / 10 + 0.2,
  String: (turn) => `Täxt “${turn}” 🎈`,
  Boolean: (turn) => turn % 2 === 0,
  ID: (turn) => `ref-${turn}`,
  Time: (turn) => new Date(Date.UTC(2026, 0, 1, turn % 24, 30, turn % 60, 125)).toISOString().slice(11, 23),
  DateTime: (turn) => new Date(Date.UTC(2026, 0, 1 + turn, 9, 30, 0, 125)).toISOString(),
  Date: (turn) => new Date(Date.UTC(2020, 1, 1 + turn)).toISOString().slice(0, 10),
  JSON: (turn) => ({ turn, deep: [null, true, { list: [turn] }] }),
  Decimal: (turn) => `${turn}.95`,
  BigInt: (turn) => String(9007199254740993n + BigInt(turn)),
}
