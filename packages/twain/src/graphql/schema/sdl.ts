// Small pieces of SDL that all parts of the schema share.

import { Kind, print } from 'graphql'
import {
  type Abstract,
  type Argument,
  distinctFields,
  type Field,
  type Json,
  type LinksField,
  type Model,
  type Resource,
  type StoredField,
  type StoredType,
  searchedFields,
  type ToManyField,
} from '#model'
import { deletedRowsType, distinctType, printType, renamedReason } from '#model/names'
import { isHidden, isSearchable, maxGroupKeys, pageSizeOf, type Visibility } from '#plan/build'

/** SDL with its description above it. */
export function described(description: string | null, text: string): string {
  return description === null ? text : `${print({ kind: Kind.STRING, value: description, block: true })}\n${text}`
}

export function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.join('\n')}\n}`
}

export function deprecation(reason: string | null): string {
  return reason === null ? '' : ` @deprecated(reason: ${print({ kind: Kind.STRING, value: reason })})`
}

/** Of a member that exists for these fields: deprecated if all of them are. */
export function sharedDeprecation(fields: readonly { deprecated: string | null }[]): string {
  return fields.every(({ deprecated }) => deprecated !== null) ? deprecation(fields[0]!.deprecated) : ''
}

/** Of a root field whose name is an alias. */
export function rootDeprecation({ aliasOf }: { aliasOf?: string }): string {
  return deprecation(aliasOf === undefined ? null : renamedReason(aliasOf))
}

/** A stored type in output: as the schema file writes it. */
export function outputType(type: StoredType): string {
  return printType(type)
}

/** A stored type in input: each value type has an input type. */
export function inputType(type: StoredType): string {
  return printType(type, (name) => `${name}Input`)
}

export function isToMany(field: Field): field is ToManyField | LinksField {
  return field.kind === 'many' || field.kind === 'links'
}

/** The arguments of a list: a page by offset. Only root fields have descriptions; below them the arguments are the same. */
export function listArguments(of: Resource | Abstract, style: 'described' | 'plain', visibility: Visibility): string {
  return argumentsText(style, [
    ['How many rows to skip.', 'offset: Int! = 0'],
    ['The maximum number of rows.', `limit: Int! = ${pageSizeOf(of)}`],
    ...filterArguments(of, visibility),
    ...(style === 'described' ? [...deletedArgument(of), ...equalArguments(of)] : []),
  ])
}

/** Root fields alone can read deleted rows: the list of a row has what belongs to it now. */
function deletedArgument(of: Resource | Abstract): DescribedArgument[] {
  if (of.kind !== 'resource' || of.softDelete === undefined) return []
  return [['Deleted rows that the viewer could restore: alone, or with the others.', `deleted: ${deletedRowsType}`]]
}

/** The type of that argument, if a type has it. */
export function deletedRowsEnum({ resources }: Model): string[] {
  if (!resources.some(({ softDelete }) => softDelete !== undefined)) return []
  const values = [
    described('Only deleted rows.', 'ONLY'),
    described('Deleted rows, and those that are not deleted.', 'WITH'),
  ]
  return [described('Which deleted rows a list has.', block(`enum ${deletedRowsType}`, values))]
}

/** The fields that a list of the server itself takes as arguments. */
function equalArguments(of: Resource | Abstract): DescribedArgument[] {
  const names = (of.kind === 'resource' && of.system?.listArguments) || []
  return names.map((name) => {
    const { type } = of.fields.get(name) as StoredField
    return [`Rows with this ${name}: short for \`where: {${name}: {eq: …}}\`.`, `${name}: ${inputType(type)}`]
  })
}

/** The arguments of a connection: a page by cursor. */
export function connectionArguments(
  of: Resource | Abstract,
  style: 'described' | 'plain',
  visibility: Visibility,
): string {
  return argumentsText(style, [
    ['The maximum number of rows.', `first: Int! = ${pageSizeOf(of)}`],
    ['The cursor after which the page begins: `endCursor` of the previous page.', 'after: String'],
    ...filterArguments(of, visibility),
    ...(style === 'described' ? deletedArgument(of) : []),
  ])
}

/** The arguments of a custom operation or a computed field. */
export function customArguments(args: readonly Argument[]): string {
  if (args.length === 0) return ''
  const lines = args.map((arg) => described(arg.description, inputMemberText(arg)))
  return `(${lines.join('\n')})`
}

/** An argument, or a field of an input type. */
export function inputMemberText({ name, type, required, default: defaultValue, deprecated }: InputMember): string {
  const assignment = defaultValue === undefined ? '' : ` = ${literalText(defaultValue, type)}`
  return `${name}: ${printType(type)}${required ? '!' : ''}${assignment}${deprecation(deprecated)}`
}

type InputMember = Pick<Argument, 'name' | 'type' | 'required' | 'default' | 'deprecated'>

/** A default as an SDL literal: enum values without quotes, unquoted field names. */
function literalText(value: Json, type: StoredType): string {
  if (value === null) return 'null'
  if (Array.isArray(value))
    return `[${value.map((item) => literalText(item, type.kind === 'list' ? type.of : type)).join(', ')}]`
  if (type.kind === 'enum') return String(value)
  if (typeof value === 'object') {
    const fields = type.kind === 'value' ? type.value.fields : null
    const members = Object.entries(value).map(([name, member]) => {
      return `${name}: ${literalText(member, fields?.get(name)?.type ?? { kind: 'scalar', name: 'JSON' })}`
    })
    return `{${members.join(', ')}}`
  }
  return JSON.stringify(value)
}

type DescribedArgument = [description: string, text: string]

function filterArguments(of: Resource | Abstract, visibility: Visibility): DescribedArgument[] {
  const { name } = of
  return [
    ['Which rows; default: all.', `where: ${name}Where`],
    [`The sort order, the most significant key first; default: ${defaultOrderText(of)}.`, `orderBy: [${name}Order!]`],
    ...(isSearchable(of, visibility) ? [searchArgument(of, visibility)] : []),
    ...(visibleDistinct(of, visibility).length > 0 ? [distinctArgument(of)] : []),
  ]
}

/** The fields that `distinct` takes and the viewer can read. */
export function visibleDistinct(of: Resource | Abstract, visibility: Visibility): Field[] {
  return distinctFields(of).filter((field) => !isHidden(field, of, visibility))
}

function distinctArgument(of: Resource | Abstract): DescribedArgument {
  return [
    `Of the rows that have the same values in these fields, only the first in the order; at most ${maxGroupKeys} fields.`,
    `distinct: [${distinctType(of)}!]`,
  ]
}

export function searchArgument(of: Resource | Abstract, visibility: Visibility): DescribedArgument {
  return [
    `Words that a row must contain, the last one as a prefix; in ${searchedNames(of, visibility)}.`,
    'search: String',
  ]
}

function defaultOrderText(of: Resource | Abstract): string {
  if (of.kind !== 'resource' || of.system === undefined) return 'by id'
  return of.system.order[0]?.direction === 'DESC' ? 'the newest first' : 'the oldest first'
}

function searchedNames(of: Resource | Abstract, visibility: Visibility): string {
  const fields = searchedFields(of).filter((field) => !visibility.isHidden(field))
  return [...new Set(fields.map(({ name }) => `\`${name}\``))].join(', ')
}

function argumentsText(style: 'described' | 'plain', list: DescribedArgument[]): string {
  return `(${list.map(([description, text]) => (style === 'described' ? described(description, text) : text)).join('\n')})`
}
