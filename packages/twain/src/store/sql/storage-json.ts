// Values that were renamed (`@was`) as an answer has them: rows keep the name that each had first (`kept-names.ts`). What was
// never renamed costs nothing here.

import type { EnumType, StoredType } from '#model'
import type { ValueSelection } from '#plan'
import { text } from '../tables/quote.ts'
import { isKeptOtherwise, keptKey, namesByCode } from '../tables/storage-names.ts'
import type { Statement } from './statement.ts'

/** A stored column as a JSON value: a scalar, an enum, or a list of them. */
export function jsonOf(type: StoredType, column: string, statement: Statement): string {
  if (!isKeptOtherwise(type)) return statement.dialect.json(type, column)
  return type.kind === 'enum' ? presentName(type.enum, column) : listOf(type, column, statement)
}

/** The same of a member of an object that is stored as JSON. */
export function memberOf(type: StoredType, object: string, key: string, statement: Statement): string {
  const { dialect } = statement
  if (!isKeptOtherwise(type)) return dialect.member(object, key)
  if (type.kind === 'enum') return presentName(type.enum, dialect.inside(type, object, [key]).column)
  // One value inside another of its own type is given as it is kept: nobody can say how deep it goes.
  return type.kind === 'list' ? listOf(type, dialect.inner(object, [key]), statement) : dialect.member(object, key)
}

function listOf(type: StoredType, list: string, statement: Statement): string {
  const { dialect } = statement
  if (type.kind !== 'list') return list
  const each = statement.alias()
  const item =
    type.of.kind === 'enum'
      ? presentName(type.of.enum, dialect.elementText(`${each}.value`))
      : listOf(type.of, `${each}.value`, statement)
  return `CASE WHEN ${list} IS NOT NULL THEN ${dialect.items(item, dialect.elements(list, each))} END`
}

/** The value's present name, by what rows keep of it. */
function presentName(type: EnumType, kept: string): string {
  const names = [...namesByCode(type)].map(([code, name]) => `WHEN ${text(code)} THEN ${text(name)}`)
  return `CASE ${kept} ${names.join(' ')} ELSE ${kept} END`
}

/** A value type out of its JSON text, or a list of them: just what is picked, under the keys of the request. */
export function compileValue(
  type: StoredType,
  value: string,
  selections: readonly ValueSelection[],
  statement: Statement,
): string {
  const { dialect } = statement
  if (type.kind === 'list') {
    const each = statement.alias()
    const item = compileValue(type.of, `${each}.value`, selections, statement)
    return `CASE WHEN ${value} IS NOT NULL THEN ${dialect.items(item, dialect.elements(value, each))} END`
  }
  const members = selections.map((selection): [string, string] => {
    if (selection.kind === 'constant') return [selection.key, text(selection.value)]
    const key = keptKey(selection.field, type)
    if (selection.selections === null) return [selection.key, memberOf(selection.field.type, value, key, statement)]
    return [
      selection.key,
      compileValue(selection.field.type, dialect.inner(value, [key]), selection.selections, statement),
    ]
  })
  return `CASE WHEN ${value} IS NOT NULL THEN ${dialect.object(members)} END`
}
