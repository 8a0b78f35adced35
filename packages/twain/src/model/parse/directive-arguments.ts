// Reads the arguments of a directive that was already checked against its definition.

import { type ConstValueNode, Kind } from 'graphql/language'
import type { Located } from '../mistakes.ts'
import type { DirectiveUse } from './read-directives.ts'

/** A string or name in the file, with its place. */
export interface WordArgument {
  text: string
  node: Located
}

export function findUse(uses: readonly DirectiveUse[], name: string): DirectiveUse | undefined {
  return uses.find((use) => use.name === name)
}

/** A string or the name of an enum value. */
export function wordArgument(use: DirectiveUse | undefined, name: string): WordArgument | null {
  const value = use?.args.get(name)
  return value ? wordOf(value) : null
}

/** A list of them; a single value stands for a list of one. */
export function wordsArgument(use: DirectiveUse | undefined, name: string): WordArgument[] {
  const value = use?.args.get(name)
  if (!value) return []
  const items = value.kind === Kind.LIST ? value.values : [value]
  return items.map(wordOf).filter((word) => word !== null)
}

function wordOf(value: ConstValueNode): WordArgument | null {
  return value.kind === Kind.STRING || value.kind === Kind.ENUM ? { text: value.value, node: value } : null
}
