// Finds the reference that `@relation(inverse:)` names. It must exist, point back, and be unique for a one-to-one relation.

import { print } from 'graphql/language'
import { didYouMean } from '#base'
import { checkFits } from '../directives/directive-targets.ts'
import type { Field, ReferenceField, Resource } from '../model.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { findUse, type WordArgument, wordArgument } from '../parse/directive-arguments.ts'
import type { PendingField } from './read-fields.ts'

/** Null after a mistake. */
export function inverseOf(pending: PendingField, declarations: DeclaredModel): ReferenceField | null {
  const { owner, declared, to, list } = pending
  const { report } = declarations
  const name = wordArgument(findUse(declared.uses, 'relation'), 'inverse')!
  if (!list) checkSingle(pending, declarations)
  if (to.kind === 'abstract') {
    report.at(
      name.node,
      `${to.name} is ${to.form === 'union' ? 'a union' : 'an interface'}: no one field can be the other side for all its types.`,
      'Remove the inverse.',
    )
    return null
  }
  const field = to.fields.get(name.text)
  if (field?.kind !== 'reference' || !leadsTo(field, owner)) {
    reportNoInverse(pending, to, name, field, declarations)
    return null
  }
  if (!list && !field.unique) {
    report.at(
      name.node,
      `Many rows of ${to.name} can refer to one ${owner.name} with ${to.name}.${field.name}, and ${owner.name}.${declared.name} has one.`,
      `Write @unique on ${to.name}.${field.name}, or make this a list: ${declared.name}: [${to.name}!]!.`,
    )
  }
  return field
}

/** Whether the reference can point at a row of this resource. */
export function leadsTo({ to }: ReferenceField, resource: Resource): boolean {
  return to === resource || (to.kind === 'abstract' && to.members.includes(resource))
}

function checkSingle({ owner, declared, to }: PendingField, { report }: DeclaredModel): void {
  checkFits(owner.name, declared, 'inverse', report)
  if (declared.shape.required) {
    report.at(
      declared.node.type,
      `${owner.name}.${declared.name} can't be required: it has no column, and a ${to.name} that refers back may not exist.`,
      `Write: ${declared.name}: ${to.name}.`,
    )
  }
  const onDelete = wordArgument(findUse(declared.uses, 'relation'), 'onDelete')
  if (onDelete) {
    const hint = `Write it on the field of ${to.name} that has the column.`
    report.at(onDelete.node, 'onDelete belongs on the reference, and this is its other side.', hint)
  }
}

function reportNoInverse(
  { owner, declared, list }: PendingField,
  to: Resource,
  name: WordArgument,
  field: Field | undefined,
  declarations: DeclaredModel,
): void {
  const declaredThere = declarations.declared(to).fields
  // A field that exists and could not be read has been reported already.
  if (!field && declaredThere.has(name.text) && !isOpenList(to, name.text, declarations)) return
  const fitting = [...to.fields.values()].filter((other) => other.kind === 'reference' && leadsTo(other, owner))
  const names = fitting.map((other) => other.name)
  const message =
    field || declaredThere.has(name.text)
      ? `${to.name}.${name.text} does not refer back to ${owner.name}.`
      : `${to.name} has no field ${name.text}.`
  const there = declaredThere.get(name.text)
  const isListOfOwners = there?.shape.named.name.value === owner.name && there.shape.lists.length > 0
  const example = `${list ? owner.single : name.text}: ${owner.name}${list ? '!' : ' @unique'}`
  const hint =
    // The list has no column: it names the reference, not the other way round.
    (isListOfOwners &&
      !list &&
      `Write it there: ${there.name}: ${print(there.node.type)} @relation(inverse: "${declared.name}").`) ||
    didYouMean(name.text, names).trim() ||
    (names.length > 0 ? `These do: ${names.join(', ')}.` : `Add it to ${to.name}: ${example}.`)
  declarations.report.at(
    name.node,
    `${message.slice(0, -1)}, so it can't be the inverse of ${owner.name}.${declared.name}.`,
    hint,
  )
}

/** A list of resources is no mistake by itself: it only points elsewhere. */
function isOpenList(to: Resource, name: string, declarations: DeclaredModel): boolean {
  const shape = declarations.declared(to).fields.get(name)?.shape
  return shape !== undefined && shape.lists.length === 1 && declarations.types.has(shape.named.name.value)
}
