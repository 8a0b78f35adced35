// `?fields=id,title,author.name,comments.body` → selections, nested as in GraphQL, in the order in which the names first appear
// (docs/reference/rest.md, R11–R15).

import { didYouMean, unreachable } from '#base'
import {
  type Abstract,
  type ComputedField,
  type CustomResultType,
  type Field,
  isFile,
  type LinksField,
  membersOf,
  type Resource,
  type StoredField,
  stateFields,
  type ToManyField,
  transitionFieldOf,
  transitionsName,
  type ValueType,
} from '#model'
import type { CustomResult, Selection, TypeSelection, ValueSelection } from '#plan'
import {
  addTypeKeys,
  allValueFields,
  computedInputs,
  defaultPageSize,
  defaultSelection,
  isHidden,
  offsetPage,
  type PlanBuilder,
  planArguments,
  planNamedRows,
  planOrder,
  valueTypeIn,
} from '#plan/build'
import { parseArguments, parseStep, splitOutsideBrackets } from './custom-arguments.ts'
import { ForbiddenRead } from './forbidden-read.ts'
import { typeKey } from './type-key.ts'

/** Adds parameters in the order of both APIs, so that equal requests give equal plans: first those around the selections, then
 *  those of the selections, depth-first. A nested list adds its page before the selections of its rows. An interface or union
 *  adds one member after the other. */
export function selectTypes(
  of: Resource | Abstract,
  fields: string | undefined,
  builder: PlanBuilder,
): TypeSelection[] {
  if (fields !== undefined) return chosenTypes(of, parseFields(fields, builder), builder, 'fields')
  if (of.kind === 'resource') return [{ of, selections: defaultSelection(of, builder.visibility) }]
  const key = typeKey(of)
  return of.members.map((member) => ({
    of: member,
    selections: [{ kind: 'constant', key, value: member.name }, ...defaultSelection(member, builder.visibility)],
  }))
}

export function selectRow(of: Resource, fields: string | undefined, builder: PlanBuilder): Selection[] {
  return selectTypes(of, fields, builder)[0]!.selections
}

/** The chosen fields of a row, by name. */
type FieldChoices = Map<string, FieldChoice>

interface FieldChoice {
  /** `author`. */
  whole: boolean
  /** `author.name`. */
  inside: FieldChoices
  /** The text between the parentheses of a computed field; null without parentheses. */
  argumentsText: string | null
}

const maxFieldDepth = 32

function parseFields(text: string, builder: PlanBuilder): FieldChoices {
  const chosen: FieldChoices = new Map()
  for (const path of splitOutsideBrackets(text, ',')) {
    const steps = splitOutsideBrackets(path, '.').map(parseStep)
    const names = steps.map(({ name }) => name)
    if (names.includes('')) {
      builder.problem('fields', 'UNKNOWN', 'has an empty name; write fields=id,author.name, or leave it out.')
      continue
    }
    if (names.length > maxFieldDepth) {
      builder.problem('fields', 'RANGE', `is nested more than ${maxFieldDepth} levels deep.`)
      continue
    }
    let level = chosen
    steps.forEach(({ name, argumentsText }, index) => {
      const choice: FieldChoice = level.get(name) ?? { whole: false, inside: new Map(), argumentsText }
      if (choice.argumentsText !== argumentsText) {
        builder.problem(`fields.${name}`, 'UNKNOWN', 'appears with different arguments; use the same ones.')
      }
      level.set(name, choice)
      if (index === names.length - 1) choice.whole = true
      level = choice.inside
    })
  }
  return chosen
}

function chosenTypes(
  of: Resource | Abstract,
  chosen: FieldChoices,
  builder: PlanBuilder,
  place: string,
): TypeSelection[] {
  if (of.kind === 'resource') {
    builder.countType()
    return [{ of, selections: chosenSelections(of, of, chosen, builder, place) }]
  }
  const before = builder.problems.length
  const cases: TypeSelection[] = []
  for (const member of of.members) {
    builder.countType()
    cases.push({ of: member, selections: chosenSelections(of, member, chosen, builder, place) })
    if (builder.problems.length > before) break // a problem of one member is one of all
  }
  return addTypeKeys(cases)
}

/** `row`: the type of the row; `seenAs`: the type that the request names, which may be an interface or union. */
function chosenSelections(
  seenAs: Resource | Abstract,
  row: Resource,
  chosen: FieldChoices,
  builder: PlanBuilder,
  place: string,
): Selection[] {
  const type = seenAs.kind === 'abstract' ? typeKey(seenAs) : null
  const selections: Selection[] = []
  for (const [name, choice] of chosen) {
    if (builder.hasEnoughProblems) break
    const path = `${place}.${name}`
    const field = seenAs.fields.has(name) ? row.fields.get(name) : undefined
    if (choice.argumentsText !== null && !seenAs.computed.has(name)) {
      builder.problem(path, 'UNKNOWN', 'takes no arguments; only computed fields do.')
      continue
    }
    const declared = field ?? (seenAs.computed.has(name) ? row.computed.get(name) : undefined)
    if (declared !== undefined) builder.noteName(seenAs, declared, name)
    if (field !== undefined) {
      if (isHidden(field, seenAs, builder.visibility)) throw forbiddenRead(path, seenAs, name)
      const selection = chosenSelection(field, name, choice, builder, path)
      if (selection !== null) selections.push(selection)
    } else if (seenAs.computed.has(name)) {
      const computed = row.computed.get(name)!
      if (isHidden(computed, seenAs, builder.visibility)) throw forbiddenRead(path, seenAs, name)
      const selection = computedSelection(computed, name, choice, builder, path)
      if (selection !== null) selections.push(selection)
    } else if (name === type || name === metaFieldOf(row)) {
      if (!isLeaf(choice, builder, path)) continue
      if (name === type) selections.push({ kind: 'constant', key: name, value: row.name })
      else selections.push({ kind: isFile(row) ? 'url' : 'version', key: name })
    } else if (seenAs.kind === 'resource' && transitionFieldOf(seenAs, name) !== undefined) {
      const state = transitionFieldOf(seenAs, name)!
      if (isHidden(state, seenAs, builder.visibility)) throw forbiddenRead(path, seenAs, state.name)
      if (name !== transitionsName(state)) builder.noteFormerName(`${seenAs.name}.${state.alias}`)
      if (isLeaf(choice, builder, path)) selections.push({ kind: 'transitions', key: name, field: state })
    } else {
      const transitions = seenAs.kind === 'resource' ? stateFields(seenAs).map(transitionsName) : []
      const names = [
        ...seenAs.fields.keys(),
        ...seenAs.computed.keys(),
        metaFieldOf(row),
        ...transitions,
        ...(type === null ? [] : [type]),
      ]
      builder.problem(path, 'UNKNOWN', `"${name}" is not a field of ${seenAs.name}.${didYouMean(name, names)}`)
    }
  }
  return selections
}

/** The field that every row has beside those of the schema. A file never changes: it has a URL instead of a version. */
function metaFieldOf(row: Resource): string {
  return isFile(row) ? 'url' : '_version'
}

/** The error for naming a field that this viewer can never read (R18). The default representation leaves it out. */
function forbiddenRead(path: string, of: Resource | Abstract, name: string): ForbiddenRead {
  const fields = membersOf(of).map((type) => (type.fields.get(name) ?? type.computed.get(name))!)
  return new ForbiddenRead(`You may not read ${path.slice('fields.'.length)}.`, fields)
}

/** A computed field: `excerpt` with the defaults of its arguments, or `excerpt(length:50)` (R116). */
function computedSelection(
  field: ComputedField,
  key: string,
  choice: FieldChoice,
  builder: PlanBuilder,
  path: string,
): Selection | null {
  const values = parseArguments(choice.argumentsText, field, builder, path)
  const args = planArguments(field.args, builder, path, (name) => values.get(name))
  const result = customResult(field.type, choice, builder, path)
  return result && { kind: 'computed', key, field, from: computedInputs(field), args, result }
}

/** The selections of a result of custom code. */
function customResult(
  type: CustomResultType,
  choice: FieldChoice,
  builder: PlanBuilder,
  path: string,
): CustomResult | null {
  if (type.kind === 'stored') {
    const value = valueTypeIn(type.type)
    if (value !== null) return { kind: 'value', selections: valueSelections(value, choice, builder, path) }
    return isLeaf(choice, builder, path) ? { kind: 'leaf' } : null
  }
  if (!choice.whole)
    return planNamedRows(type.of, builder, path, () => chosenTypes(type.of, choice.inside, builder, path))
  reportWholeList(path, builder)
  return null
}

function chosenSelection(
  field: Field,
  key: string,
  choice: FieldChoice,
  builder: PlanBuilder,
  path: string,
): Selection | null {
  if (choice.whole && choice.inside.size > 0) {
    const [inner] = choice.inside.keys()
    builder.problem(path, 'UNKNOWN', `appears both alone and with "${inner}" inside it; use one of the two.`)
    return null
  }
  switch (field.kind) {
    case 'stored':
      return storedSelection(field, key, choice, builder, path)
    case 'reference':
    case 'inverse':
      if (choice.whole) return { kind: 'id', key, field }
      return { kind: 'one', key, field, types: chosenTypes(field.to, choice.inside, builder, path) }
    case 'many':
    case 'links':
      return listSelection(field, key, choice, builder, path)
    default:
      return unreachable(field)
  }
}

function storedSelection(
  field: StoredField,
  key: string,
  choice: FieldChoice,
  builder: PlanBuilder,
  path: string,
): Selection | null {
  const value = valueTypeIn(field.type)
  if (value !== null) return { kind: 'value', key, field, selections: valueSelections(value, choice, builder, path) }
  if (isLeaf(choice, builder, path)) return { kind: 'field', key, field }
  return null
}

function valueSelections(type: ValueType, choice: FieldChoice, builder: PlanBuilder, place: string): ValueSelection[] {
  if (choice.whole) return allValueFields(type)
  const selections: ValueSelection[] = []
  for (const [name, inner] of choice.inside) {
    if (builder.hasEnoughProblems) break
    const path = `${place}.${name}`
    const field = type.fields.get(name)
    if (field === undefined) {
      const near = didYouMean(name, type.fields.keys())
      builder.problem(path, 'UNKNOWN', `"${name}" is not a field of ${type.name}.${near}`)
      continue
    }
    builder.noteName(type, field, name)
    const value = valueTypeIn(field.type)
    if (value !== null)
      selections.push({ kind: 'field', key: name, field, selections: valueSelections(value, inner, builder, path) })
    else if (isLeaf(inner, builder, path)) selections.push({ kind: 'field', key: name, field, selections: null })
  }
  return selections
}

function isLeaf(choice: FieldChoice, builder: PlanBuilder, path: string): boolean {
  if (choice.inside.size === 0) return true
  const [inner] = choice.inside.keys()
  builder.problem(`${path}.${inner}`, 'UNKNOWN', `There is nothing inside ${path.slice('fields.'.length)}.`)
  return false
}

function listSelection(
  field: ToManyField | LinksField,
  key: string,
  choice: FieldChoice,
  builder: PlanBuilder,
  path: string,
): Selection | null {
  if (choice.whole) {
    reportWholeList(path, builder)
    return null
  }
  const order = planOrder([], field.to, builder)
  const page = offsetPage(defaultPageSize, 0, builder, { limit: path, offset: path })
  const types = chosenTypes(field.to, choice.inside, builder, path)
  const read = {
    kind: 'many',
    of: field.to,
    within: null,
    where: null,
    order,
    page,
    shape: { kind: 'list', types },
  } as const
  return { kind: 'many', key, field, read }
}

function reportWholeList(path: string, builder: PlanBuilder): void {
  builder.problem(path, 'TYPE', `is a list; choose fields of its rows, such as ${path.slice('fields.'.length)}.id.`)
}
