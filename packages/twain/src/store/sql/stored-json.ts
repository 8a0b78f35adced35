// Values that were renamed (`@was`) as an answer has them: rows keep the name that each had first (`kept-names.ts`). What was
// never renamed costs nothing here.

import type { EnumType, StoredType } from '#model'
import type { ValueSelection } from '#plan'
import { quoteText } from '../tables/quote.ts'
import { hasStorageNames, namesByCode, storageKey } from '../tables/storage-names.ts'
import type { StatementBuilder } from './statement-builder.ts'

/** A stored column as a JSON value: a scalar, an enum, or a list of them. */
export function storedJson(type: StoredType, column: string, statement: StatementBuilder): string {
  if (!hasStorageNames(type)) return statement.dialect.json(type, column)
  return type.kind === 'enum' ? currentName(type.enum, column) : listOf(type, column, statement)
}

/** The same of a member of an object that is stored as JSON. */
export function memberJson(type: StoredType, object: string, key: string, statement: StatementBuilder): string {
  const { dialect } = statement
  if (!hasStorageNames(type)) return dialect.member(object, key)
  if (type.kind === 'enum') return currentName(type.enum, dialect.inside(type, object, [key]).column)
  // One value inside another of its own type is given as it is kept: nobody can say how deep it goes.
  return type.kind === 'list' ? listOf(type, dialect.inner(object, [key]), statement) : dialect.member(object, key)
}

function listOf(type: StoredType, list: string, statement: StatementBuilder): string {
  const { dialect } = statement
  if (type.kind !== 'list') return list
  const each = statement.alias()
  const item =
    type.of.kind === 'enum'
      ? currentName(type.of.enum, dialect.elementText(`${each}.value`))
      : listOf(type.of, `${each}.value`, statement)
  return `CASE WHEN ${list} IS NOT NULL THEN ${dialect.items(item, dialect.elements(list, each))} END`
}

/** The value's present name, by what rows keep of it. */
function currentName(type: EnumType, kept: string): string {
  const names = [...namesByCode(type)].map(([code, name]) => `WHEN ${quoteText(code)} THEN ${quoteText(name)}`)
  return `CASE ${kept} ${names.join(' ')} ELSE ${kept} END`
}

/** A value type out of its JSON text, or a list of them: just what is picked, under the keys of the request. */
export function compileValue(
  type: StoredType,
  value: string,
  selections: readonly ValueSelection[],
  statement: StatementBuilder,
): string {
  const { dialect } = statement
  if (type.kind === 'list') {
    const each = statement.alias()
    const item = compileValue(type.of, `${each}.value`, selections, statement)
    return `CASE WHEN ${value} IS NOT NULL THEN ${dialect.items(item, dialect.elements(value, each))} END`
  }
  const members = selections.map((selection): [string, string] => {
    if (selection.kind === 'constant') return [selection.key, quoteText(selection.value)]
    const key = storageKey(selection.field, type)
    if (selection.selections === null) return [selection.key, memberJson(selection.field.type, value, key, statement)]
    return [
      selection.key,
      compileValue(selection.field.type, dialect.inner(value, [key]), selection.selections, statement),
    ]
  })
  return `CASE WHEN ${value} IS NOT NULL THEN ${dialect.object(members)} END`
}
