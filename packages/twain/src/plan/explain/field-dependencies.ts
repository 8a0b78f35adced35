// What in the schema file depends on each field: rules, transitions, indexes, word search, labels, computed fields, the account.
// Whoever changes or removes a field has to look at these, too.

import {
  type Abstract,
  type AnyField,
  isAccountTime,
  isListWord,
  type Json,
  type Model,
  memberNamed,
  type Resource,
  type Rule,
  type SourceLocation,
  type StoredField,
  type StoredType,
  type Transition,
  type ValueType,
} from '#model'
import { shownFile } from './describe-place.ts'
import { describeRule, describeTransition } from './describe-rule.ts'

export interface FieldDependency {
  /** The type of the field that something depends on. */
  of: string
  field: string
  by: 'rule' | 'transition' | 'index' | 'search' | 'label' | 'computed' | 'account' | 'key'
  /** What depends on it, in the words of the file. */
  what: string
  file: string
  line: number
}

export function fieldDependencies(model: Model): FieldDependency[] {
  const found: FieldDependency[] = []
  const seen = new Set<string>()
  for (const of of [...model.resources, ...model.views]) {
    for (const rule of [...of.rules, ...of.auditRules, ...of.actRules]) noteRule(of, of.name, rule)
    for (const field of [...of.fields.values(), ...of.computed.values()]) noteField(of, field)
    for (const { unique, fields } of of.indexes) {
      const what = `${unique ? '@unique' : '@index'} of ${of.name} (${fields.map(({ name }) => name).join(', ')})`
      for (const field of fields) note(of.name, field.name, 'index', what, field.place)
    }
    for (const field of of.view?.key ?? []) note(of.name, field.name, 'key', `@view of ${of.name}`, of.view!.place)
  }
  noteAccount()
  return found

  function note(of: string, field: string, by: FieldDependency['by'], what: string, place: SourceLocation): void {
    const entry = { of, field, by, what, file: shownFile(place.file), line: place.line }
    const key = JSON.stringify(entry)
    if (!seen.has(key)) found.push(entry)
    seen.add(key)
  }

  function noteField(of: Resource, field: AnyField): void {
    const path = `${of.name}.${field.name}`
    if (isOfFile(field)) for (const rule of field.rules) noteRule(of, path, rule)
    if (field.kind === 'computed') {
      for (const { name } of field.from) note(of.name, name, 'computed', `${path} is computed from it`, field.place)
    }
    if (field.kind !== 'stored') return
    if (field.search === true) note(of.name, field.name, 'search', `word search of ${of.name}`, field.place)
    if (field.label === true) note(of.name, field.name, 'label', `the label of ${of.name}`, field.place)
    noteTransitions(of, path, field)
  }

  function noteTransitions(of: Resource, path: string, { name, stateMachine }: StoredField): void {
    for (const transition of stateMachine?.transitions ?? []) {
      const what = `${path}: ${transition.from} ${describeTransition(transition)}`
      note(of.name, name, 'transition', what, transition.place)
      noteConditions(of, transition, 'transition', what, transition.place)
    }
  }

  function noteRule(of: Resource, path: string, rule: Rule): void {
    const what = `${path}: ${describeRule(rule)}`
    noteConditions(of, rule, 'rule', what, rule.place)
    for (const { owner, name } of rule.fields ?? []) note(owner.name, name, 'rule', what, rule.place)
  }

  function noteConditions(
    of: Resource,
    { who, where }: Pick<Rule | Transition, 'who' | 'where'>,
    by: 'rule' | 'transition',
    what: string,
    place: SourceLocation,
  ): void {
    const steps = who?.kind === 'path' ? who.path : []
    for (const { owner, name } of steps) note(owner.name, name, by, what, place)
    if (where !== null) visitFilter(where, of, (type, name) => note(type, name, by, what, place))
  }

  function noteAccount(): void {
    if (model.account === null) return
    const { resource, login, roles } = model.account
    note(resource.name, login.name, 'account', 'the login of accounts', resource.place)
    if (roles !== null) note(resource.name, roles.name, 'account', 'the roles of accounts', resource.place)
  }
}

/** The rules of a field that the server adds are not in the file. */
export function isOfFile(field: AnyField): boolean {
  return field.kind !== 'stored' || !isAccountTime(field.auto)
}

type FilteredType = Resource | Abstract | ValueType

/** Calls `visit` for each field that a filter of the file names. */
function visitFilter(where: Json, of: FilteredType, visit: (type: string, field: string) => void): void {
  if (where === null || typeof where !== 'object') return
  if (Array.isArray(where)) {
    for (const part of where) visitFilter(part, of, visit)
    return
  }
  for (const [word, value] of Object.entries(where)) {
    const field = of.fields.get(word)
    if (field === undefined) {
      const member = of.kind === 'abstract' ? memberNamed(of, word) : undefined
      visitFilter(value, member ?? of, visit) // `and`, `or`, `not`, or the name of a member
      continue
    }
    visit(of.name, field.name)
    const next = 'to' in field ? field.to : valueTypeOf((field as { type: StoredType }).type)
    if (next !== null) visitFilter(insideList(value), next, visit)
  }
}

/** `{some: {…}}` of a list is about its items. */
function insideList(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.entries(value).flatMap(([word, inner]) => (isListWord(word) ? [inner] : [{ [word]: inner }]))
}

function valueTypeOf(type: StoredType): ValueType | null {
  if (type.kind === 'list') return valueTypeOf(type.of)
  return type.kind === 'value' ? type.value : null
}
