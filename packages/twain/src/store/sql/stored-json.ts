// Stored values as JSON of a result. Rows store the first name of an enum value or a field inside a value
// (`tables/storage-codes.ts`); this file translates renamed ones (`@was`). Names that never changed cost nothing.

import type { EnumType, StoredType } from '#model'
import type { ValueSelection } from '#plan'
import { quoteText } from '../tables/quote.ts'
import { hasStorageCodes, namesByCode, type StorageCodes, storageKey } from '../tables/storage-codes.ts'
import type { StatementBuilder } from './statement-builder.ts'

/** A stored column as a JSON value: a scalar, an enum, or a list of them. */
export function storedJson(type: StoredType, column: string, statement: StatementBuilder, codes: StorageCodes): string {
  if (!hasStorageCodes(type, codes)) return statement.dialect.json(type, column)
  return type.kind === 'enum' ? currentName(type.enum, column, codes) : listOf(type, column, statement, codes)
}

/** The same for a member of a stored JSON object. */
function memberJson(
  type: StoredType,
  object: string,
  key: string,
  statement: StatementBuilder,
  codes: StorageCodes,
): string {
  const { dialect } = statement
  if (!hasStorageCodes(type, codes)) return dialect.member(object, key)
  if (type.kind === 'enum') return currentName(type.enum, dialect.inside(type, object, [key]).column, codes)
  // A value inside another value of its type stays as it is stored: its depth is unknown.
  return type.kind === 'list'
    ? listOf(type, dialect.inner(object, [key]), statement, codes)
    : dialect.member(object, key)
}

function listOf(type: StoredType, list: string, statement: StatementBuilder, codes: StorageCodes): string {
  const { dialect } = statement
  if (type.kind !== 'list') return list
  const each = statement.alias()
  const item =
    type.of.kind === 'enum'
      ? currentName(type.of.enum, dialect.elementText(`${each}.value`), codes)
      : listOf(type.of, `${each}.value`, statement, codes)
  return `CASE WHEN ${list} IS NOT NULL THEN ${dialect.items(item, dialect.elements(list, each))} END`
}

/** The current name of a value, by its storage code. */
function currentName(type: EnumType, stored: string, codes: StorageCodes): string {
  const names = [...namesByCode(type, codes)].map(([code, name]) => `WHEN ${quoteText(code)} THEN ${quoteText(name)}`)
  return `CASE ${stored} ${names.join(' ')} ELSE ${stored} END`
}

/** The selected members of a value type, or of a list of them, under the keys of the request. */
export function compileValue(
  type: StoredType,
  value: string,
  selections: readonly ValueSelection[],
  statement: StatementBuilder,
  codes: StorageCodes,
): string {
  const { dialect } = statement
  if (type.kind === 'list') {
    const each = statement.alias()
    const item = compileValue(type.of, `${each}.value`, selections, statement, codes)
    return `CASE WHEN ${value} IS NOT NULL THEN ${dialect.items(item, dialect.elements(value, each))} END`
  }
  const members = selections.map((selection): [string, string] => {
    if (selection.kind === 'constant') return [selection.key, quoteText(selection.value)]
    const key = storageKey(selection.field, type, codes)
    if (selection.selections === null)
      return [selection.key, memberJson(selection.field.type, value, key, statement, codes)]
    return [
      selection.key,
      compileValue(selection.field.type, dialect.inner(value, [key]), selection.selections, statement, codes),
    ]
  })
  return `CASE WHEN ${value} IS NOT NULL THEN ${dialect.object(members)} END`
}
