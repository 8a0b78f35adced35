// `_increment: {"stock": -1}` of an update: each number is added to the one that the row holds when the update is made.

import { didYouMean, isRecord } from '#base'
import { countableFields, type Field, incrementMember, isCountable, type Resource } from '#model'
import { namesOf } from '#model/names'
import type { SetField } from '../plan.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue } from './request-value.ts'

/** `input` is the whole input of the write: a field is set or counted in, not both. Null counts in nothing. */
export function planIncrements(
  leaf: unknown,
  of: Resource,
  input: object,
  builder: PlanBuilder,
  place: string,
): SetField[] {
  const amounts = currentValue(leaf)
  if (amounts === null) return []
  if (!isRecord(amounts)) {
    builder.problem(place, 'TYPE', `must be an object with numbers to add, such as {"${exampleOf(of)}": -1}.`)
    return []
  }
  const counted: SetField[] = []
  for (const [name, amount] of Object.entries(amounts)) {
    if (amount === undefined) continue
    const path = `${place}.${name}`
    const field = builder.fieldNamed(name, of.fields, of)
    const mistake = mistakeOf(name, field, of, input, counted)
    if (mistake !== null) builder.problem(path, mistake.code, mistake.message)
    else if (field !== undefined && isCountable(field)) {
      const parameter = builder.parameter({ kind: 'increment', field }, amount, path)
      counted.push({ field, parameter, change: 'increment' })
    }
  }
  return counted
}

function mistakeOf(name: string, field: Field | undefined, of: Resource, input: object, counted: readonly SetField[]) {
  if (field === undefined) {
    const names = countableFields(of).map((one) => one.name)
    return { code: 'UNKNOWN', message: `is not a field of ${of.name}.${didYouMean(name, names)}` } as const
  }
  const isFixed = field.kind === 'stored' && field.immutable
  if (!isCountable(field)) {
    const message = isFixed
      ? 'can not be changed.'
      : 'is no number: only an Int, Float, Decimal or BigInt can be counted in.'
    return { code: isFixed ? 'READONLY' : 'TYPE', message } as const
  }
  if (namesOf(field).some((one) => Object.hasOwn(input, one))) {
    return { code: 'UNKNOWN', message: `is set in the same write: set ${name} or add to it, not both.` } as const
  }
  if (counted.some((one) => one.field === field)) {
    return { code: 'UNKNOWN', message: `is another name of ${field.name}, which is counted in too.` } as const
  }
  return null
}

function exampleOf(of: Resource): string {
  return countableFields(of)[0]?.name ?? 'stock'
}

/** The message for the member where it has no meaning. */
export function incrementRefused(action: 'create' | 'replace'): string {
  const instead = action === 'create' ? 'set the number itself' : 'send it in an update (PATCH)'
  return `"${incrementMember}" adds to the numbers of a stored row; ${instead}.`
}
