// Finds the names that changed between two schemas (`@was`), and rewrites the previous model with the new names.
// Code that compares the two models then finds the same thing under the same name.
//
// Renames also work backwards: if an older schema is served again, it does not know the newer names, but the newer schema
// lists the older ones.

import type {
  Abstract,
  AnyField,
  EnumType,
  Json,
  Model,
  ModelType,
  Resource,
  Rule,
  StoredType,
  ValueField,
  ValueType,
  Who,
} from '../model.ts'
import { lowerFirst } from '../names/case.ts'
import { memberNamed, typeWord } from '../type-filters.ts'

export interface Renames {
  /** New names of types, by previous name. */
  types: ReadonlyMap<string, string>
  /** New names of fields, by `Type.field` in previous names. */
  fields: ReadonlyMap<string, string>
  /** New names of enum values, by `Enum.VALUE` in previous names. */
  values: ReadonlyMap<string, string>
}

export function findRenames(before: Model, after: Model): Renames {
  const types = pair(before.types.values(), after.types.values(), ({ alias }) => alias)
  const fields = new Map<string, string>()
  const values = new Map<string, string>()
  for (const type of before.types.values()) {
    const now = after.types.get(types.get(type.name) ?? type.name)
    if (now === undefined) continue
    if (type.kind === 'enum' && now.kind === 'enum') {
      for (const [from, to] of pair(type.values, now.values, aliasName)) values.set(`${type.name}.${from}`, to)
    }
    for (const [from, to] of pair(fieldsOf(type), fieldsOf(now), aliasName)) fields.set(`${type.name}.${from}`, to)
  }
  return { types, fields, values }
}

function aliasName({ alias }: { alias?: string }): string | undefined {
  return alias
}

export function fieldsOf(type: ModelType): (AnyField | ValueField)[] {
  if (type.kind === 'value') return [...type.fields.values()]
  return 'fields' in type ? [...type.fields.values(), ...type.computed.values()] : []
}

/** New names by previous name: from `@was` in the newer model, or from `@was` in the previous one if the rename was
 *  reverted. */
function pair<Item extends { name: string }>(
  before: Iterable<Item>,
  after: Iterable<Item>,
  previousNameOf: (item: Item) => string | undefined,
): Map<string, string> {
  const [was, is] = [[...before], [...after]]
  const [had, has] = [new Set(was.map(({ name }) => name)), new Set(is.map(({ name }) => name))]
  const found = new Map<string, string>()
  for (const item of is) {
    const previousName = previousNameOf(item)
    if (previousName !== undefined && had.has(previousName) && !had.has(item.name)) found.set(previousName, item.name)
  }
  for (const item of was) {
    const previousName = previousNameOf(item)
    const isBack = previousName !== undefined && has.has(previousName) && !had.has(previousName) && !has.has(item.name)
    if (isBack && !found.has(item.name)) found.set(item.name, previousName)
  }
  return found
}

/** Returns the same model under the new names; the input is not changed. */
export function applyRenames(model: Model, renames: Renames): Model {
  const { types, fields, values } = renames
  if (types.size + fields.size + values.size === 0) return model
  const copy = structuredClone(model)
  renameTexts(copy, renames)
  for (const type of copy.types.values()) {
    if (type.kind === 'enum')
      for (const value of type.values) value.name = values.get(`${type.name}.${value.name}`) ?? value.name
    for (const field of fieldsOf(type)) field.name = fields.get(`${type.name}.${field.name}`) ?? field.name
    if (type.kind === 'resource' || type.kind === 'abstract') {
      type.fields = byName(type.fields.values())
      type.computed = byName(type.computed.values())
    } else if (type.kind === 'value') type.fields = byName(type.fields.values())
  }
  for (const type of copy.types.values()) {
    type.name = types.get(type.name) ?? type.name
    if (type.kind === 'resource' || type.kind === 'abstract') type.single = lowerFirst(type.name)
  }
  copy.types = byName(copy.types.values())
  for (const rule of rulesOf(copy)) rewrite(rule.who)
  return copy
}

function byName<Item extends { name: string }>(items: Iterable<Item>): Map<string, Item> {
  return new Map([...items].map((item) => [item.name, item]))
}

function rewrite(who: Who | null): void {
  if (who?.kind === 'path') who.text = who.path.map(({ name }) => name).join('.')
}

function* rulesOf(model: Model): Generator<{ who: Who | null }> {
  for (const { rules, fields, computed } of [...model.resources, ...model.views]) {
    yield* rules
    for (const field of [...fields.values(), ...computed.values()]) {
      yield* field.rules
      if (field.kind === 'stored') yield* field.stateMachine?.transitions ?? []
    }
  }
}

/** Renames names inside plain JSON and text: filters, defaults, states and roles. Runs while the model still has its
 *  previous names. */
function renameTexts(model: Model, renames: Renames): void {
  const texts = new RenamedTexts(renames)
  const roles = model.account?.roles?.type
  const renameRule = (rule: Pick<Rule, 'role' | 'where'>, of: Resource) => {
    if (rule.role !== null && roles !== undefined) rule.role = texts.role(rule.role, roles)
    if (rule.where !== null) rule.where = texts.filter(rule.where, of)
  }
  for (const rule of model.operations.flatMap(({ rules }) => rules)) {
    if (rule.role !== null && roles !== undefined) rule.role = texts.role(rule.role, roles)
  }
  for (const resource of [...model.resources, ...model.views]) {
    for (const rule of [...resource.rules, ...resource.auditRules, ...resource.actRules]) renameRule(rule, resource)
    for (const field of [...resource.fields.values(), ...resource.computed.values()]) {
      for (const rule of field.rules) renameRule(rule, resource)
      if (field.kind === 'many') {
        for (const row of field.defaultChildren) {
          for (const [of, made] of row) {
            if ('value' in made && of.kind === 'stored') made.value = texts.value(made.value, of.type)
          }
        }
      }
      if (field.kind !== 'stored') continue
      if (field.default !== undefined) field.default = texts.value(field.default, field.type)
      if (field.stateMachine === undefined || field.type.kind !== 'enum') continue
      const { enum: states } = field.type
      field.stateMachine.start = texts.state(field.stateMachine.start, states)
      for (const transition of field.stateMachine.transitions) {
        renameRule(transition, resource)
        transition.from = texts.state(transition.from, states)
        transition.to = transition.to.map((state) => texts.state(state, states))
      }
    }
  }
  for (const { fields } of [...model.values, ...model.inputs]) {
    for (const field of fields.values()) {
      if (field.default !== undefined) field.default = texts.value(field.default, field.type)
    }
  }
}

class RenamedTexts {
  readonly #fields: Renames['fields']
  readonly #values: Renames['values']
  readonly #types: Renames['types']

  constructor({ types, fields, values }: Renames) {
    this.#types = types
    this.#fields = fields
    this.#values = values
  }

  state(name: string, { name: type }: EnumType): string {
    return this.#values.get(`${type}.${name}`) ?? name
  }

  role(role: string, type: StoredType): string {
    if (type.kind === 'list') return this.role(role, type.of)
    return type.kind === 'enum' ? this.state(role, type.enum) : role
  }

  value(json: Json, type: StoredType): Json {
    if (json === null) return null
    if (type.kind === 'list' && Array.isArray(json)) return json.map((item) => this.value(item, type.of))
    if (type.kind === 'enum' && typeof json === 'string') return this.state(json, type.enum)
    if (type.kind !== 'value' || !isRecord(json)) return json
    return this.#members(json, type.value, (member, field) =>
      field === undefined ? member : this.value(member, field.type),
    )
  }

  filter(json: Json, of: Resource | Abstract | ValueType): Json {
    if (!isRecord(json)) return json
    return this.#members(json, of, (sub, field, word) => {
      if (word === 'and' || word === 'or') return Array.isArray(sub) ? sub.map((one) => this.filter(one, of)) : sub
      if (word === 'not') return this.filter(sub, of)
      if (field === undefined && of.kind === 'abstract') return this.#ofType(word, sub, of)
      if (field === undefined || !isRecord(sub)) return sub
      if (!('kind' in field) || field.kind === 'stored') return this.#operators(sub, field.type)
      if (field.kind === 'reference' || field.kind === 'inverse') return this.filter(sub, field.to)
      const { to } = field
      return Object.fromEntries(Object.entries(sub).map(([some, inner]) => [some, this.filter(inner, to)]))
    })
  }

  /** A condition on the type of a row: `{_type: {eq: Post}}` or `{Post: {…}}`. */
  #ofType(word: string, sub: Json, of: Abstract): Json {
    const member = memberNamed(of, word)
    if (member !== undefined) return this.filter(sub, member)
    if (word !== typeWord || !isRecord(sub)) return sub
    const rename = (value: Json): Json => (Array.isArray(value) ? value.map(rename) : this.#type(String(value)))
    return Object.fromEntries(Object.entries(sub).map(([operator, value]) => [operator, rename(value)]))
  }

  #type(name: string): string {
    return this.#types.get(name) ?? name
  }

  #operators(json: Record<string, Json>, type: StoredType): Json {
    if (type.kind === 'value') return this.filter(json, type.value)
    const leaf = type.kind === 'list' ? type.of : type
    const rename = (value: Json): Json => (Array.isArray(value) ? value.map(rename) : this.value(value, leaf))
    return Object.fromEntries(Object.entries(json).map(([operator, value]) => [operator, rename(value)]))
  }

  #members<Of extends Resource | Abstract | ValueType>(
    json: Record<string, Json>,
    of: Of,
    make: (sub: Json, field: FieldOf<Of> | undefined, word: string) => Json,
  ): Json {
    const members = Object.entries(json).map(([word, sub]): [string, Json] => {
      const field = of.fields.get(word) as FieldOf<Of> | undefined
      const isType = field === undefined && of.kind === 'abstract' && memberNamed(of, word) !== undefined
      const name = isType ? this.#type(word) : (this.#fields.get(`${of.name}.${word}`) ?? word)
      return [name, make(sub, field, word)]
    })
    return Object.fromEntries(members)
  }
}

type FieldOf<Of extends Resource | Abstract | ValueType> = NonNullable<ReturnType<Of['fields']['get']>>

function isRecord(json: Json): json is Record<string, Json> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
