// Aliases of a type: of its name (`@was`), and of its path (`was` of `@resource`, or made from the name).

import type { DescribedName } from '../aliases.ts'
import type { Abstract, Resource } from '../model.ts'
import { camelCase, lowerFirst } from './case.ts'

/** The type whose collection has this path. A present path takes precedence over an alias. */
export function typeAtPath<Type extends Resource | Abstract>(types: readonly Type[], path: string): Type | undefined {
  return types.find((type) => type.path === path) ?? types.find(({ previousPaths }) => previousPaths.includes(path))
}

/** The name of one item of the type: `loanRequest`. */
export function singleOf({ single, alias }: Resource | Abstract): DescribedName {
  const former = alias === undefined ? single : lowerFirst(alias)
  return { name: single, deprecated: null, ...(former === single ? {} : { alias: former }) }
}

/** The type with each of its aliases in place of its names: one for each path, and one for its own name. */
export function aliasCopies<Type extends Resource | Abstract>(type: Type): Type[] {
  const { alias, previousPaths } = type
  const named = alias === undefined ? [] : [{ ...type, name: alias, single: lowerFirst(alias) }]
  return [...previousPaths.map((path) => ({ ...type, list: camelCase(path) })), ...named]
}
