// Parses `fields` (docs/reference/rest.md, R11): `id,author.name,favourite:Score.title` → the chosen fields of each level, in the
// order in which they first appear. A type before a field limits it to rows of that type, like an inline fragment in GraphQL.

import type { PlanBuilder } from '#plan/build'
import { parseStep, splitOutsideBrackets } from './custom-arguments.ts'

/** The chosen fields of a row, by type and name: see `keyOf`. */
export type FieldChoices = ReadonlyMap<string, FieldChoice>

export interface FieldChoice {
  name: string
  /** `Score` in `favourite:Score.title`: only rows of this type have the field. Null: all rows. */
  type: string | null
  /** `author`. */
  whole: boolean
  /** `author.name`. */
  inside: FieldChoices
  /** The text between the parentheses of a computed field; null without parentheses. */
  argumentsText: string | null
}

/** In the place of a name: all fields of the default representation. */
export const allFields = '*'

const maxFieldDepth = 32

export function parseFields(text: string, builder: PlanBuilder): FieldChoices {
  const chosen: OpenChoices = new Map()
  for (const path of splitOutsideBrackets(text, ',')) {
    const steps = parsePath(path, builder)
    if (steps !== null) addPath(chosen, steps, builder)
  }
  return chosen
}

type OpenChoices = Map<string, FieldChoice & { inside: OpenChoices }>
type Step = Pick<FieldChoice, 'name' | 'type' | 'argumentsText'>

/** Each name with the type before it: `favourite:Score.title` is `favourite`, and `title` of a Score. */
function parsePath(path: string, builder: PlanBuilder): Step[] | null {
  const steps: Step[] = []
  let type: string | null = null
  const texts = splitOutsideBrackets(path, '.')
  for (const [index, text] of texts.entries()) {
    const [field, next = null, ...others] = splitOutsideBrackets(text, ':')
    if (next === '' || others.length > 0) return reject(builder, 'has an empty type; write fields=author:User.name.')
    const isRoot = index === 0 && field === '' && next !== null // `:Score.title`, over a collection of several types
    const step = parseStep(field!)
    if (step.name === '' && !isRoot) {
      return reject(builder, 'has an empty name; write fields=id,author.name, or leave it out.')
    }
    if (step.name.startsWith(allFields) && (text !== allFields || index < texts.length - 1)) {
      return reject(builder, `has "${path}"; "*" stands for all fields of a row, at the end of a path: author.*`)
    }
    if (!isRoot) steps.push({ ...step, type })
    type = next
  }
  if (type !== null) return reject(builder, `"${path}" ends with a type; choose fields of it, such as ${path}.id.`)
  if (texts.length <= maxFieldDepth) return steps
  builder.problem('fields', 'RANGE', `is nested more than ${maxFieldDepth} levels deep.`)
  return null
}

function reject(builder: PlanBuilder, message: string): null {
  builder.problem('fields', 'UNKNOWN', message)
  return null
}

function addPath(chosen: OpenChoices, steps: readonly Step[], builder: PlanBuilder): void {
  let level = chosen
  for (const [index, step] of steps.entries()) {
    const key = keyOf(step)
    const choice = level.get(key) ?? { ...step, whole: false, inside: new Map() }
    expectSameArguments(choice, step, builder)
    level.set(key, choice)
    if (index === steps.length - 1) choice.whole = true
    level = choice.inside
  }
}

function keyOf({ type, name }: Pick<FieldChoice, 'name' | 'type'>): string {
  return type === null ? name : `${type}:${name}`
}

function expectSameArguments(a: Step, b: Step, builder: PlanBuilder): void {
  if (a.argumentsText === b.argumentsText) return
  builder.problem(`fields.${a.name}`, 'UNKNOWN', 'appears with different arguments; use the same ones.')
}

/** One choice of two for the same field of a row: `favourite.composer.name,favourite:Score.composer.born`. */
export function mergeChoices(a: FieldChoice, b: FieldChoice, builder: PlanBuilder): FieldChoice {
  expectSameArguments(a, b, builder)
  const inside = new Map(a.inside)
  for (const [key, choice] of b.inside) {
    const known = inside.get(key)
    inside.set(key, known === undefined ? choice : mergeChoices(known, choice, builder))
  }
  return { ...a, whole: a.whole || b.whole, inside }
}
