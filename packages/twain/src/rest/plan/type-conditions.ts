// The types in `fields` (`favourite:Score.title`): which types can stand there, and problems that several types have in common.

import { didYouMean, type Problem } from '#base'
import { type Abstract, membersOf, type Resource } from '#model'
import type { PlanBuilder } from '#plan/build'
import type { FieldChoices } from './field-choices.ts'

/** The types that limit choices, by name. */
export type TypeConditions = ReadonlyMap<string, Resource | Abstract>

/** As in GraphQL, rows of the condition's type must be possible here. Problems name each type once. */
export function readConditions(
  of: Resource | Abstract,
  chosen: FieldChoices,
  builder: PlanBuilder,
  place: string,
): TypeConditions {
  const conditions = new Map<string, Resource | Abstract>()
  for (const name of new Set([...chosen.values()].flatMap(({ type }) => type ?? []))) {
    const possible = possibleConditions(of)
    const type = builder.typeNamed(name, possible)
    if (type !== undefined) {
      conditions.set(name, type)
      continue
    }
    const names = possible.map((one) => one.name)
    const near =
      didYouMean(name, names) || ` There ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, 20).join(', ')}.`
    builder.problem(`${place}:${name}`, 'UNKNOWN', `"${name}" is not a type of ${of.name}.${near}`)
  }
  return conditions
}

/** The members first: they are what a client means most often. */
function possibleConditions(of: Resource | Abstract): (Resource | Abstract)[] {
  const members = membersOf(of)
  return [...new Set([...members, ...members.flatMap(({ memberOf }) => memberOf)])]
}

/** Members that have a field in common have its problems in common. */
export function dropRepeated(problems: Problem[], before: number, known: number): void {
  const fresh = problems.splice(known)
  const isKnown = ({ path, message }: Problem) =>
    problems.slice(before).some((one) => one.path === path && one.message === message)
  problems.push(...fresh.filter((problem) => !isKnown(problem)))
}
