// Small pieces of SDL that every part of the printed contract is made of.

import { Kind, print } from 'graphql'
import {
  type Abstract,
  type Field,
  type LinksField,
  type Resource,
  type StoredType,
  spellType,
  type ToManyField,
} from '#model'
import { defaultPageSize } from '#plan'

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
export function listArguments(of: Resource | Abstract, told: 'told' | 'bare'): string {
  return argumentsText(told, [
    ['How many rows to pass over.', 'offset: Int! = 0'],
    ['How many rows to give at most.', `limit: Int! = ${defaultPageSize}`],
    ...filterArguments(of),
  ])
}

/** The arguments of a connection: a page by cursor. */
export function connectionArguments(of: Resource | Abstract, told: 'told' | 'bare'): string {
  return argumentsText(told, [
    ['How many rows to give at most.', `first: Int! = ${defaultPageSize}`],
    ['The cursor behind which the page begins: `endCursor` of the page before.', 'after: String'],
    ...filterArguments(of),
  ])
}

type Argument = [description: string, text: string]

function filterArguments({ name }: Resource | Abstract): Argument[] {
  return [
    ['Which rows; all of them when left out.', `where: ${name}Where`],
    ['In which order, the first key first; by id when left out.', `orderBy: [${name}Order!]`],
  ]
}

function argumentsText(told: 'told' | 'bare', list: Argument[]): string {
  return `(${list.map(([description, text]) => (told === 'told' ? described(description, text) : text)).join('\n')})`
}
