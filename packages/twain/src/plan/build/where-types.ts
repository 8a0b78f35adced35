// A condition on the type of a row, over an interface or a union: `{_type: {in: [Post, Photo]}}` → Where. Names of types are part
// of the shape of a filter and never parameters: a statement has a part for each type.

import { didYouMean, isRecord } from '#base'
import { type Abstract, isTypeOperator, type Resource, typeOperators } from '#model'
import type { Where } from '../plan.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue } from './request-value.ts'

/** Null: no condition, or a problem was reported. */
export function planTypeNames(sub: unknown, of: Abstract, builder: PlanBuilder, place: string): Where | null {
  if (!isRecord(sub)) {
    builder.problem(place, 'TYPE', 'A filter of the type must be an object such as {"eq": …}.')
    return null
  }
  const parts: Where[] = []
  for (const [word, leaf] of Object.entries(sub)) {
    const operand = currentValue(leaf)
    if (operand === undefined) continue
    const path = `${place}.${word}`
    if (!isTypeOperator(word)) {
      const near = didYouMean(word, typeOperators)
      builder.problem(
        path,
        'UNKNOWN',
        `"${word}" is not an operator of the type; there are ${typeOperators.join(', ')}.${near}`,
      )
      continue
    }
    const takesList = word === 'in' || word === 'notIn'
    const members = takesList ? readMembers(operand, of, builder, path) : [readMember(operand, of, builder, path)]
    const among = isAmong(of.members.filter((member) => members.includes(member)))
    parts.push(word === 'ne' || word === 'notIn' ? { kind: 'not', of: among } : among)
  }
  if (parts.length === 0) return null
  return parts.length === 1 ? parts[0]! : { kind: 'and', of: parts }
}

function isAmong(members: readonly Resource[]): Where {
  const types = members.map((of): Where => ({ kind: 'type', of }))
  if (types.length === 0) return { kind: 'constant', is: false }
  return types.length === 1 ? types[0]! : { kind: 'or', of: types }
}

function readMembers(operand: unknown, of: Abstract, builder: PlanBuilder, path: string): (Resource | null)[] {
  if (!Array.isArray(operand)) {
    builder.problem(path, 'TYPE', 'must be a list of names of types.')
    return []
  }
  const members: (Resource | null)[] = []
  for (const [index, name] of operand.entries()) {
    if (builder.hasEnoughProblems) break
    members.push(readMember(name, of, builder, `${path}.${index}`))
  }
  return members
}

function readMember(name: unknown, of: Abstract, builder: PlanBuilder, path: string): Resource | null {
  const member = builder.typeNamed(name, of.members)
  if (member !== undefined) return member
  const names = of.members.map((one) => one.name)
  const near = typeof name === 'string' ? didYouMean(name, names) : ''
  const sent = typeof name === 'string' ? `"${name}" is not a type of ${of.name}` : 'must be the name of a type'
  builder.problem(
    path,
    'TYPE',
    `${sent}; there are ${names.slice(0, 20).join(', ')}${names.length > 20 ? ', …' : ''}.${near}`,
  )
  return null
}
