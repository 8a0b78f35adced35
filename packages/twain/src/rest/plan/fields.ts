// `?fields=id,title,author.name,comments.body`: exactly what is chosen, nested as GraphQL would, keys in the order in which
// they are first named (docs/reference/rest.md, R11–R15).

import { didYouMean, unreachable } from '#base'
import {
  type Abstract,
  type ComputedField,
  type Field,
  isFile,
  type LinksField,
  membersOf,
  movesName,
  movesOf,
  type OwnType,
  type Resource,
  type StoredField,
  stateFields,
  type ToManyField,
  type ValueType,
} from '#model'
import {
  type Case,
  type Draft,
  defaultPageSize,
  defaultPicks,
  isHidden,
  markTypes,
  type OwnResult,
  offsetPage,
  type Pick,
  pickFrom,
  planArguments,
  planNamedRows,
  planOrder,
  RefusedRead,
  type ValuePick,
  valueIn,
  wholeValue,
} from '#plan'
import { readGiven, readStep, splitOutside } from './custom-arguments.ts'
import { typeKey } from './type-key.ts'

/** Slots are added in the order that both doors keep: what stands around the picks first, then the picks depth-first in
 *  their order; a nested list adds its page before the picks of its rows; over an abstract, one member after the other. */
export function pickCases(of: Resource | Abstract, fields: string | undefined, draft: Draft): Case[] {
  if (fields !== undefined) return chosenCases(of, parseFields(fields, draft), draft, 'fields')
  if (of.kind === 'resource') return [{ of, pick: defaultPicks(of, draft.sight) }]
  const key = typeKey(of)
  return of.members.map((member) => ({
    of: member,
    pick: [{ kind: 'constant', key, value: member.name }, ...defaultPicks(member, draft.sight)],
  }))
}

export function pickRow(of: Resource, fields: string | undefined, draft: Draft): Pick[] {
  return pickCases(of, fields, draft)[0]!.pick
}

/** What is chosen of a row, by name. */
type Chosen = Map<string, Choice>

interface Choice {
  /** Named by itself. */
  whole: boolean
  /** Named with something inside it. */
  inside: Chosen
  /** Arguments for own code, as they are written between the parentheses; null: none. */
  given: string | null
}

const mostSteps = 32

function parseFields(text: string, draft: Draft): Chosen {
  const chosen: Chosen = new Map()
  for (const way of splitOutside(text, ',')) {
    const steps = splitOutside(way, '.').map(readStep)
    const names = steps.map(({ name }) => name)
    if (names.includes('')) {
      draft.problem('fields', 'UNKNOWN', 'misses a name; it is written fields=id,author.name, or left out.')
      continue
    }
    if (names.length > mostSteps) {
      draft.problem('fields', 'RANGE', `goes more than ${mostSteps} steps deep.`)
      continue
    }
    let level = chosen
    steps.forEach(({ name, given }, index) => {
      const choice: Choice = level.get(name) ?? { whole: false, inside: new Map(), given }
      if (choice.given !== given) {
        draft.problem(`fields.${name}`, 'UNKNOWN', 'is chosen with different arguments; one choice of them is meant.')
      }
      level.set(name, choice)
      if (index === names.length - 1) choice.whole = true
      level = choice.inside
    })
  }
  return chosen
}

function chosenCases(of: Resource | Abstract, chosen: Chosen, draft: Draft, place: string): Case[] {
  if (of.kind === 'resource') {
    draft.countCase()
    return [{ of, pick: chosenPicks(of, of, chosen, draft, place) }]
  }
  const before = draft.problems.length
  const cases: Case[] = []
  for (const member of of.members) {
    draft.countCase()
    cases.push({ of: member, pick: chosenPicks(of, member, chosen, draft, place) })
    if (draft.problems.length > before) break // what is wrong for one member is wrong for all
  }
  return markTypes(cases)
}

/** `row` is what is read, `seenAs` the type that the request sees it as. */
function chosenPicks(seenAs: Resource | Abstract, row: Resource, chosen: Chosen, draft: Draft, place: string): Pick[] {
  const type = seenAs.kind === 'abstract' ? typeKey(seenAs) : null
  const picks: Pick[] = []
  for (const [name, choice] of chosen) {
    if (draft.isHopeless) break
    const path = `${place}.${name}`
    const field = seenAs.fields.has(name) ? row.fields.get(name) : undefined
    if (choice.given !== null && !seenAs.computed.has(name)) {
      draft.problem(path, 'UNKNOWN', 'takes no arguments; own code does.')
      continue
    }
    if (field !== undefined) {
      if (isHidden(field, seenAs, draft.sight)) throw mayNotRead(path, seenAs, name)
      const pick = chosenPick(field, name, choice, draft, path)
      if (pick !== null) picks.push(pick)
    } else if (seenAs.computed.has(name)) {
      const computed = row.computed.get(name)!
      if (isHidden(computed, seenAs, draft.sight)) throw mayNotRead(path, seenAs, name)
      const pick = computedPick(computed, name, choice, draft, path)
      if (pick !== null) picks.push(pick)
    } else if (name === type || name === extraOf(row)) {
      if (!isLeaf(choice, draft, path)) continue
      if (name === type) picks.push({ kind: 'constant', key: name, value: row.name })
      else picks.push({ kind: isFile(row) ? 'url' : 'version', key: name })
    } else if (seenAs.kind === 'resource' && movesOf(seenAs, name) !== undefined) {
      const state = movesOf(seenAs, name)!
      if (isHidden(state, seenAs, draft.sight)) throw mayNotRead(path, seenAs, state.name)
      if (isLeaf(choice, draft, path)) picks.push({ kind: 'moves', key: name, field: state })
    } else {
      const moves = seenAs.kind === 'resource' ? stateFields(seenAs).map(movesName) : []
      const own = [...seenAs.fields.keys(), ...seenAs.computed.keys()]
      const names = [...own, extraOf(row), ...moves, ...(type === null ? [] : [type])]
      draft.problem(path, 'UNKNOWN', `"${name}" is not a field of ${seenAs.name}.${didYouMean(name, names)}`)
    }
  }
  return picks
}

/** What a row tells beside its fields. A file is never changed, so that it has no versions, but it has an address. */
function extraOf(row: Resource): string {
  return isFile(row) ? 'url' : '_version'
}

/** Asked for by name, what this viewer can never read is refused (R18); unasked, it is left out. */
function mayNotRead(path: string, of: Resource | Abstract, name: string): RefusedRead {
  const fields = membersOf(of).map((type) => (type.fields.get(name) ?? type.computed.get(name))!)
  return new RefusedRead(`You may not read ${path.slice('fields.'.length)}.`, fields)
}

/** What own code answers: `excerpt`, with the defaults of its arguments, or `excerpt(length:50)` (R116). */
function computedPick(field: ComputedField, key: string, choice: Choice, draft: Draft, path: string): Pick | null {
  const given = readGiven(choice.given, field, draft, path)
  const args = planArguments(field.args, draft, path, (name) => given.get(name))
  const result = ownResult(field.type, choice, draft, path)
  return result && { kind: 'computed', key, field, from: pickFrom(field), args, result }
}

/** What is chosen of own code's answer. */
function ownResult(type: OwnType, choice: Choice, draft: Draft, path: string): OwnResult | null {
  if (type.kind === 'stored') {
    const value = valueIn(type.type)
    if (value !== null) return { kind: 'value', pick: valuePicks(value, choice, draft, path) }
    return isLeaf(choice, draft, path) ? { kind: 'leaf' } : null
  }
  if (!choice.whole) return planNamedRows(type.of, draft, path, () => chosenCases(type.of, choice.inside, draft, path))
  tellRows(path, draft)
  return null
}

function chosenPick(field: Field, key: string, choice: Choice, draft: Draft, path: string): Pick | null {
  if (choice.whole && choice.inside.size > 0) {
    const [inner] = choice.inside.keys()
    draft.problem(path, 'UNKNOWN', `is chosen both by itself and with "${inner}" inside it; one of the two is meant.`)
    return null
  }
  switch (field.kind) {
    case 'stored':
      return storedPick(field, key, choice, draft, path)
    case 'reference':
    case 'inverse':
      if (choice.whole) return { kind: 'id', key, field }
      return { kind: 'one', key, field, cases: chosenCases(field.to, choice.inside, draft, path) }
    case 'many':
    case 'links':
      return listPick(field, key, choice, draft, path)
    default:
      return unreachable(field)
  }
}

function storedPick(field: StoredField, key: string, choice: Choice, draft: Draft, path: string): Pick | null {
  const value = valueIn(field.type)
  if (value !== null) return { kind: 'value', key, field, pick: valuePicks(value, choice, draft, path) }
  if (isLeaf(choice, draft, path)) return { kind: 'field', key, field }
  return null
}

function valuePicks(type: ValueType, choice: Choice, draft: Draft, place: string): ValuePick[] {
  if (choice.whole) return wholeValue(type)
  const picks: ValuePick[] = []
  for (const [name, inner] of choice.inside) {
    if (draft.isHopeless) break
    const path = `${place}.${name}`
    const field = type.fields.get(name)
    if (field === undefined) {
      const near = didYouMean(name, type.fields.keys())
      draft.problem(path, 'UNKNOWN', `"${name}" is not a field of ${type.name}.${near}`)
      continue
    }
    const value = valueIn(field.type)
    if (value !== null) picks.push({ kind: 'field', key: name, field, pick: valuePicks(value, inner, draft, path) })
    else if (isLeaf(inner, draft, path)) picks.push({ kind: 'field', key: name, field, pick: null })
  }
  return picks
}

function isLeaf(choice: Choice, draft: Draft, path: string): boolean {
  if (choice.inside.size === 0) return true
  const [inner] = choice.inside.keys()
  draft.problem(`${path}.${inner}`, 'UNKNOWN', `There is nothing inside ${path.slice('fields.'.length)}.`)
  return false
}

function listPick(
  field: ToManyField | LinksField,
  key: string,
  choice: Choice,
  draft: Draft,
  path: string,
): Pick | null {
  if (choice.whole) {
    tellRows(path, draft)
    return null
  }
  const order = planOrder([], field.to, draft)
  const page = offsetPage(defaultPageSize, 0, draft, { limit: path, offset: path })
  const cases = chosenCases(field.to, choice.inside, draft, path)
  const read = {
    kind: 'many',
    of: field.to,
    within: null,
    where: null,
    order,
    page,
    shape: { kind: 'list', cases },
  } as const
  return { kind: 'many', key, field, read }
}

function tellRows(path: string, draft: Draft): void {
  const way = path.slice('fields.'.length)
  draft.problem(path, 'TYPE', `is a list; choose what to show of its rows, such as ${way}.id.`)
}
