// Small pieces of SDL that every part of the printed contract is made of.

import { Kind, print } from 'graphql'
import {
  type Abstract,
  type Field,
  type LinksField,
  type Resource,
  type StoredType,
  searchedFields,
  spellType,
  type ToManyField,
} from '#model'
import { defaultPageSize, isSearchable, type Sight } from '#plan'

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
  return spellType(type)
}

/** A stored type as an input takes it: value types have an input twin. */
export function inputType(type: StoredType): string {
  return spellType(type, (name) => `${name}Input`)
}

export function isToMany(field: Field): field is ToManyField | LinksField {
  return field.kind === 'many' || field.kind === 'links'
}

/** The arguments of a list: a page by number. Told once, at the root fields; below them the same words mean the same. */
export function listArguments(of: Resource | Abstract, told: 'told' | 'bare', sight: Sight): string {
  return argumentsText(told, [
    ['How many rows to pass over.', 'offset: Int! = 0'],
    ['How many rows to give at most.', `limit: Int! = ${defaultPageSize}`],
    ...filterArguments(of, sight),
  ])
}

/** The arguments of a connection: a page by cursor. */
export function connectionArguments(of: Resource | Abstract, told: 'told' | 'bare', sight: Sight): string {
  return argumentsText(told, [
    ['How many rows to give at most.', `first: Int! = ${defaultPageSize}`],
    ['The cursor behind which the page begins: `endCursor` of the page before.', 'after: String'],
    ...filterArguments(of, sight),
  ])
}

type Argument = [description: string, text: string]

function filterArguments(of: Resource | Abstract, sight: Sight): Argument[] {
  const { name } = of
  const search: Argument = [
    `The words that a row must have, the last one as a beginning; in ${searchedNames(of, sight)}.`,
    'search: String',
  ]
  return [
    ['Which rows; all of them when left out.', `where: ${name}Where`],
    ['In which order, the first key first; by id when left out.', `orderBy: [${name}Order!]`],
    ...(isSearchable(of, sight) ? [search] : []),
  ]
}

function searchedNames(of: Resource | Abstract, sight: Sight): string {
  const fields = searchedFields(of).filter((field) => !sight.hides(field))
  return [...new Set(fields.map(({ name }) => `\`${name}\``))].join(', ')
}

function argumentsText(told: 'told' | 'bare', list: Argument[]): string {
  return `(${list.map(([description, text]) => (told === 'told' ? described(description, text) : text)).join('\n')})`
}
