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
  memberNamed,
  membersOf,
  type Resource,
  type StoredField,
  stateFields,
  type ToManyField,
  transitionsName,
  type ValueType,
} from '#model'
import type { CustomResult, Selection, TypeSelection, ValueSelection } from '#plan'
import {
  addTypeKeys,
  allValueFields,
  computedInputs,
  defaultSelection,
  imageArguments,
  isHidden,
  offsetPage,
  type PlanBuilder,
  pageSizeOf,
  planArguments,
  planImage,
  planNamedRows,
  planOrder,
  valueTypeIn,
} from '#plan/build'
import { parseArguments } from './custom-arguments.ts'
import { allFields, type FieldChoice, type FieldChoices, mergeChoices, parseFields } from './field-choices.ts'
import { ForbiddenRead } from './forbidden-read.ts'
import { dropRepeated, readConditions, type TypeConditions } from './type-conditions.ts'
import { isTypeKey, typeKey } from './type-key.ts'

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

function chosenTypes(
  of: Resource | Abstract,
  chosen: FieldChoices,
  builder: PlanBuilder,
  place: string,
): TypeSelection[] {
  const conditions = readConditions(of, chosen, builder, place)
  const before = builder.problems.length
  const cases: TypeSelection[] = []
  for (const member of membersOf(of)) {
    builder.countType()
    const known = builder.problems.length
    cases.push({ of: member, selections: chosenSelections(of, member, chosen, conditions, builder, place) })
    dropRepeated(builder.problems, before, known)
    // A problem of a field that all members share is one of each of them.
    if (conditions.size === 0 && builder.problems.length > before) break
  }
  return of.kind === 'resource' ? cases : addTypeKeys(cases)
}

/** `row`: the type of the row; `of`: the type that the request names, which may be an interface or union. */
function chosenSelections(
  of: Resource | Abstract,
  row: Resource,
  chosen: FieldChoices,
  conditions: TypeConditions,
  builder: PlanBuilder,
  place: string,
): Selection[] {
  const members = new Map<string, ChosenMember>()
  for (const choice of chosen.values()) {
    if (builder.hasEnoughProblems) break
    const { type } = choice
    const seenAs = type === null ? of : conditions.get(type)
    if (seenAs === undefined || !membersOf(seenAs).includes(row)) continue
    const at = type === null ? place : `${place}:${type}`
    if (choice.name !== allFields) addMember(choice, seenAs, at, false)
    else for (const one of defaultChoices(seenAs, row, builder)) addMember(one.choice, one.seenAs, at, true)
  }
  const selections: Selection[] = []
  for (const { choice, select, path } of members.values()) {
    if (builder.hasEnoughProblems) break
    const selection = select(choice, path)
    if (selection !== null) selections.push(selection)
  }
  return selections

  /** What the request names itself wins over what `*` stands for. */
  function addMember(choice: FieldChoice, seenAs: Resource | Abstract, at: string, isDefault: boolean): void {
    const { name } = choice
    const known = members.get(name)
    if (known !== undefined && isDefault) return
    const path = `${at}.${name}`
    const select = memberOf(seenAs, row, choice, builder, path)
    if (select === null) return
    if (known === undefined || known.isDefault) members.set(name, { choice, select, path, isDefault })
    else known.choice = mergeChoices(known.choice, choice, builder)
  }
}

/** What `*` stands for: the default representation of the row, under the present names of its fields. */
function defaultChoices(
  seenAs: Resource | Abstract,
  row: Resource,
  { visibility }: PlanBuilder,
): { choice: FieldChoice; seenAs: Resource | Abstract }[] {
  const whole = (name: string): FieldChoice => ({
    name,
    type: null,
    whole: true,
    inside: new Map(),
    argumentsText: null,
  })
  const type = seenAs.kind === 'abstract' ? [{ choice: whole(typeKey(seenAs)), seenAs }] : []
  const fields = defaultSelection(row, visibility).filter(
    (selection) => 'field' in selection && selection.field.name === selection.key,
  )
  return [...type, ...fields.map(({ key }) => ({ choice: whole(key), seenAs: row }))]
}

/** A chosen member of a row, and how it is selected. */
interface ChosenMember {
  choice: FieldChoice
  select: SelectMember
  path: string
  /** Only `*` chooses it. */
  isDefault: boolean
}

type SelectMember = (choice: FieldChoice, path: string) => Selection | null

/** Null after a problem. `seenAs`: the type whose field the request names. */
function memberOf(
  seenAs: Resource | Abstract,
  row: Resource,
  { name, argumentsText }: FieldChoice,
  builder: PlanBuilder,
  path: string,
): SelectMember | null {
  const isUrl = isFile(row) && name === 'url'
  if (argumentsText !== null && !seenAs.computed.has(name) && !isUrl) {
    builder.problem(path, 'UNKNOWN', 'takes no arguments; only computed fields and the url of a file do.')
    return null
  }
  const field = seenAs.fields.has(name) ? builder.fieldNamed(name, row.fields, seenAs) : undefined
  const isComputed = field === undefined && seenAs.computed.has(name)
  const computed = isComputed ? builder.fieldNamed(name, row.computed, seenAs) : undefined
  const declared = field ?? computed
  if (declared !== undefined) {
    if (isHidden(declared, seenAs, builder.visibility)) throw forbiddenRead(path, seenAs, name)
    if (computed !== undefined) return (choice, at) => computedSelection(computed, name, choice, builder, at)
    return (choice, at) => chosenSelection(field!, name, choice, builder, at)
  }
  const leaf =
    (selection: Selection): SelectMember =>
    (choice, at) =>
      isLeaf(choice, builder, at) ? selection : null
  if (isTypeKey(seenAs, name)) return leaf({ kind: 'constant', key: name, value: row.name })
  if (isUrl) return (choice, at) => (isLeaf(choice, builder, at) ? urlSelection(name, choice, builder, at) : null)
  if (name === metaFieldOf(row)) return leaf({ kind: 'version', key: name })
  const state = seenAs.kind === 'resource' ? builder.transitionsNamed(name, seenAs) : undefined
  if (state === undefined) {
    reportUnknown(seenAs, row, name, builder, path)
    return null
  }
  if (isHidden(state, seenAs, builder.visibility)) throw forbiddenRead(path, seenAs, state.name)
  return leaf({ kind: 'transitions', key: name, field: state })
}

function reportUnknown(
  seenAs: Resource | Abstract,
  row: Resource,
  name: string,
  builder: PlanBuilder,
  path: string,
): void {
  const names = [
    ...seenAs.fields.keys(),
    ...seenAs.computed.keys(),
    ...[metaFieldOf(row)].filter((name) => name !== null),
    ...(seenAs.kind === 'resource' ? stateFields(seenAs).map(transitionsName) : [typeKey(seenAs)]),
  ]
  const hint = typeHint(seenAs, name, path) || didYouMean(name, names)
  builder.problem(path, 'UNKNOWN', `"${name}" is not a field of ${seenAs.name}.${hint}`)
}

/** A field that only some members have needs its type: `favourite:Score.title`. */
function typeHint(seenAs: Resource | Abstract, name: string, path: string): string {
  if (seenAs.kind === 'resource') return ''
  const holder = shownPath(path.slice(0, -name.length - 1))
  if (memberNamed(seenAs, name) !== undefined) return ` For fields of rows of this type, write ${holder}:${name}.id.`
  const types = seenAs.members.filter(({ fields, computed }) => fields.has(name) || computed.has(name))
  return types.length === 0 ? '' : ` It is a field of ${types[0]!.name}: write ${holder}:${types[0]!.name}.${name}.`
}

/** A path of `fields` as the request has it. */
function shownPath(path: string): string {
  return path.slice('fields'.length).replace(/^\./, '')
}

/** The field that every row has beside those of the schema. A file never changes: it has a URL instead of a version.
 *  A view has neither: nothing counts its versions. */
function metaFieldOf(row: Resource): string | null {
  if (row.view !== undefined) return null
  return isFile(row) ? 'url' : '_version'
}

/** The error for naming a field that this viewer can never read (R18). The default representation leaves it out. */
function forbiddenRead(path: string, of: Resource | Abstract, name: string): ForbiddenRead {
  const fields = membersOf(of).map((type) => (type.fields.get(name) ?? type.computed.get(name))!)
  return new ForbiddenRead(`You may not read ${shownPath(path)}.`, fields)
}

/** The URL of a file, or of a variant of the image: `url(width:320,format:WEBP)` (R109). */
function urlSelection(key: string, { argumentsText }: FieldChoice, builder: PlanBuilder, path: string): Selection {
  const values = parseArguments(argumentsText, { name: key, args: imageArguments }, builder, path)
  const image = planImage(builder, path, (name) => values.get(name))
  return image === undefined ? { kind: 'url', key } : { kind: 'url', key, image }
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
  const args = planArguments(field, builder, path, (name) => values.get(name))
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
  if (choice.whole || choice.inside.has(allFields)) return allValueFields(type)
  const selections: ValueSelection[] = []
  for (const inner of choice.inside.values()) {
    if (builder.hasEnoughProblems) break
    const { name } = inner
    const path = `${place}.${name}`
    if (inner.type !== null) {
      builder.problem(
        `${place}:${inner.type}`,
        'UNKNOWN',
        `${shownPath(place)} is a value and has one type; write ${shownPath(path)}.`,
      )
      continue
    }
    const field = builder.fieldNamed(name, type.fields, type)
    if (field === undefined) {
      const near = didYouMean(name, type.fields.keys())
      builder.problem(path, 'UNKNOWN', `"${name}" is not a field of ${type.name}.${near}`)
      continue
    }
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
  builder.problem(`${path}.${inner}`, 'UNKNOWN', `There is nothing inside ${shownPath(path)}.`)
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
  const page = offsetPage(pageSizeOf(field.to), 0, builder, { limit: path, offset: path }, field.to)
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
  builder.problem(path, 'TYPE', `is a list; choose fields of its rows, such as ${shownPath(path)}.id.`)
}
