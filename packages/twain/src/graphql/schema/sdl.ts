// Small pieces of SDL that every part of the printed contract is made of.

import { Kind, print } from 'graphql'
import {
  type Abstract,
  type Argument,
  type Field,
  type Json,
  type LinksField,
  printType,
  type Resource,
  type StoredType,
  searchedFields,
  type ToManyField,
} from '#model'
import { defaultPageSize, isSearchable, type Visibility } from '#plan/build'

/** A block of SDL with its description above it. */
export function described(description: string | null, text: string): string {
  return description === null ? text : `${print({ kind: Kind.STRING, value: description, block: true })}\n${text}`
}

export function block(head: string, lines: readonly string[]): string {
  return `${head} {\n${lines.join('\n')}\n}`
}

export function deprecation(reason: string | null): string {
  return reason === null ? '' : ` @deprecated(reason: ${print({ kind: Kind.STRING, value: reason })})`
}

/** A stored type as the file writes it, in answers. */
export function outputType(type: StoredType): string {
  return printType(type)
}

/** A stored type as an input takes it: value types have an input twin. */
export function inputType(type: StoredType): string {
  return printType(type, (name) => `${name}Input`)
}

export function isToMany(field: Field): field is ToManyField | LinksField {
  return field.kind === 'many' || field.kind === 'links'
}

/** The arguments of a list: a page by number. Told once, at the root fields; below them the same words mean the same. */
export function listArguments(of: Resource | Abstract, told: 'told' | 'bare', visibility: Visibility): string {
  return argumentsText(told, [
    ['How many rows to pass over.', 'offset: Int! = 0'],
    ['How many rows to give at most.', `limit: Int! = ${defaultPageSize}`],
    ...filterArguments(of, visibility),
  ])
}

/** The arguments of a connection: a page by cursor. */
export function connectionArguments(of: Resource | Abstract, told: 'told' | 'bare', visibility: Visibility): string {
  return argumentsText(told, [
    ['How many rows to give at most.', `first: Int! = ${defaultPageSize}`],
    ['The cursor behind which the page begins: `endCursor` of the page before.', 'after: String'],
    ...filterArguments(of, visibility),
  ])
}

/** What own code takes. */
export function customArguments(args: readonly Argument[]): string {
  if (args.length === 0) return ''
  const lines = args.map((arg) => described(arg.description, inputMemberText(arg)))
  return `(${lines.join('\n')})`
}

/** An argument, or a field of an input. */
export function inputMemberText({ name, type, required, default: start, deprecated }: InputMember): string {
  const fallback = start === undefined ? '' : ` = ${literalText(start, type)}`
  return `${name}: ${printType(type)}${required ? '!' : ''}${fallback}${deprecation(deprecated)}`
}

type InputMember = Pick<Argument, 'name' | 'type' | 'required' | 'default' | 'deprecated'>

/** A default as SDL writes it: enum values without quotes, members by name. */
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
  const search: DescribedArgument = [
    `The words that a row must have, the last one as a beginning; in ${searchedNames(of, visibility)}.`,
    'search: String',
  ]
  return [
    ['Which rows; all of them when left out.', `where: ${name}Where`],
    ['In which order, the first key first; by id when left out.', `orderBy: [${name}Order!]`],
    ...(isSearchable(of, visibility) ? [search] : []),
  ]
}

function searchedNames(of: Resource | Abstract, visibility: Visibility): string {
  const fields = searchedFields(of).filter((field) => !visibility.isHidden(field))
  return [...new Set(fields.map(({ name }) => `\`${name}\``))].join(', ')
}

function argumentsText(told: 'told' | 'bare', list: DescribedArgument[]): string {
  return `(${list.map(([description, text]) => (told === 'told' ? described(description, text) : text)).join('\n')})`
}
