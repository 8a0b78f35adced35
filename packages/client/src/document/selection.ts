// Compiled selections: a `Selection` for each selection set, and a `Shape` of it for each concrete type. The cache reads and
// writes by these lists of fields and visits no syntax tree.

import type { ArgumentNode, FieldNode, FragmentNode, SelectionNode, SelectionSetNode, ValueNode } from './ast.ts'
import { stable } from './stable.ts'

export type Values = Readonly<Record<string, unknown>>
export type Data = Record<string, unknown>

/** Whether `type` is a possible type of `condition`; undefined if not known. */
export interface TypeMatcher {
  matches(condition: string, type: string): boolean | undefined
  learn(condition: string, type: string, matches: boolean): void
}

/** The selected fields of an object of one type. */
export interface Shape {
  readonly fields: readonly Field[]
  /** The fields with a selection set. */
  readonly links: readonly Field[]
  /** The cache may store a response's object as it is: its keys are the names of the fields. */
  readonly isPlain: boolean
  /** A nested argument depends on the variables. */
  readonly isVariable: boolean
  /** The response keys of the id and the version; null where they are not selected. */
  readonly id: string | null
  readonly version: string | null
}

/** The paging arguments of a connection. They select a part of it and do not belong to its key. */
const paging = ['first', 'after']

export class Field {
  readonly key: string
  readonly name: string
  readonly select: Selection | null
  readonly isConnection: boolean
  readonly #arguments: readonly ArgumentNode[]
  readonly #keyed: readonly ArgumentNode[]
  readonly isVariable: boolean
  #slot = ''
  #slotOf: Values | null = null

  constructor(node: FieldNode, select: Selection | null) {
    const args = node.arguments ?? []
    const has = (name: string) => args.some((argument) => argument.name.value === name)
    this.key = (node.alias ?? node.name).value
    this.name = node.name.value
    this.select = select
    this.isConnection = paging.some(has) && !has('last') && !has('before') && select?.selects('edges') === true
    this.#arguments = args
    this.#keyed = this.isConnection ? args.filter(({ name }) => !paging.includes(name.value)) : args
    this.isVariable = args.some(({ value }) => hasVariable(value))
  }

  /** The field's key in its owner. It includes the arguments, so other arguments are another field. */
  slot(values: Values): string {
    if (this.#slotOf === values) return this.#slot
    this.#slotOf = values
    const args = stable(valuesIn(this.#keyed, values))
    this.#slot = args === '{}' ? this.name : `${this.name}(${args})`
    return this.#slot
  }

  arguments(values: Values): Values {
    return valuesIn(this.#arguments, values)
  }
}

export class Selection {
  readonly #sets: readonly SelectionSetNode[]
  readonly #document: DocumentParts
  readonly #isRoot: boolean
  readonly #shapes = new Map<string, Shape>()
  #isVariable: boolean | undefined
  /** Without type conditions, all types have the same shape. */
  #only: Shape | null = null

  constructor(sets: readonly SelectionSetNode[], document: DocumentParts, isRoot = false) {
    this.#sets = sets
    this.#document = document
    this.#isRoot = isRoot
  }

  /** Whether a nested argument depends on the variables. */
  get isVariable(): boolean {
    this.#isVariable ??= this.#has((node) => (node.arguments ?? []).some(({ value }) => hasVariable(value)), true)
    return this.#isVariable
  }

  selects(name: string): boolean {
    return this.#has((node) => node.name.value === name, false)
  }

  /** Whether there is such a field here, or also below. */
  #has(is: (node: FieldNode) => boolean, isDeep: boolean): boolean {
    const among = ({ selections }: SelectionSetNode): boolean =>
      selections.some((node) => {
        const isField = node.kind === 'Field'
        return (isField && is(node)) || ((isDeep || !isField) && among(this.#document.setOf(node) ?? none))
      })
    return this.#sets.some(among)
  }

  /** `object` is the server's object for this selection. Its keys show which fragments apply to its type. */
  shape(type: string, types: TypeMatcher, object?: Data): Shape {
    return this.#only ?? this.#shapes.get(type) ?? this.#collect(type, types, object)
  }

  #collect(type: string, types: TypeMatcher, object: Data | undefined): Shape {
    const document = this.#document
    const found = new Map<string, { node: FieldNode; sets: SelectionSetNode[] }>()
    const unsure: [condition: string, set: SelectionSetNode][] = []
    let conditions = false
    let guessed = false
    const add = ({ selections }: SelectionSetNode) => {
      for (const node of selections) {
        if (!document.isIncluded(node)) continue
        if (node.kind === 'Field') {
          const key = (node.alias ?? node.name).value
          const same = found.get(key)
          if (same === undefined) found.set(key, { node, sets: node.selectionSet ? [node.selectionSet] : [] })
          else if (node.selectionSet) same.sets.push(node.selectionSet)
          continue
        }
        const set = document.setOf(node)
        if (set === undefined) continue
        const condition = document.conditionOf(node)
        if (condition !== undefined) conditions = true
        const matches = condition === undefined || condition === type || types.matches(condition, type)
        if (matches === true) add(set)
        else if (matches === undefined) unsure.push([condition!, set])
      }
    }
    for (const set of this.#sets) add(set)
    // The server returns the fields of a fragment only for objects of its type.
    for (const [condition, set] of unsure) {
      const known = types.matches(condition, type)
      const own = set.selections.flatMap((node) =>
        node.kind === 'Field' && document.isIncluded(node) ? (node.alias ?? node.name).value : [],
      )
      const sign = own.find((key) => !found.has(key))
      if (known === undefined && object !== undefined && sign !== undefined)
        types.learn(condition, type, sign in object)
      else if (known === undefined) guessed = true
      if (types.matches(condition, type) !== false) add(set)
    }
    if (!this.#isRoot && !found.has('__typename')) found.set('__typename', { node: typename, sets: [] })
    const shape = makeShape(Array.from(found.values(), ({ node, sets }) => document.field(node, sets)))
    if (!conditions) this.#only = shape
    else if (!guessed) this.#shapes.set(type, shape)
    return shape
  }
}

const none: SelectionSetNode = { selections: [] }

const typename: FieldNode = { kind: 'Field', name: { value: '__typename' } }

function makeShape(fields: readonly Field[]): Shape {
  const plain = (name: string) => fields.find((field) => field.name === name && field.select === null)?.key ?? null
  return {
    fields,
    links: fields.filter(({ select }) => select !== null),
    isPlain: fields.every(
      (field) => field.key === field.name && field.select === null && field.slot({}) === field.name,
    ),
    isVariable: fields.some((field) => field.isVariable || field.select?.isVariable === true),
    id: plain('id'),
    version: plain('_version'),
  }
}

/** A document's fragments, and the selections that these variables include. */
export class DocumentParts {
  readonly #fragments: ReadonlyMap<string, FragmentNode>
  readonly #values: Values

  constructor(fragments: ReadonlyMap<string, FragmentNode>, values: Values) {
    this.#fragments = fragments
    this.#values = values
  }

  setOf(node: SelectionNode): SelectionSetNode | undefined {
    return node.kind === 'FragmentSpread' ? this.#fragments.get(node.name.value)?.selectionSet : node.selectionSet
  }

  conditionOf(node: SelectionNode): string | undefined {
    if (node.kind === 'Field') return undefined
    const of = node.kind === 'FragmentSpread' ? this.#fragments.get(node.name.value) : node
    return of?.typeCondition?.name.value
  }

  isIncluded(node: SelectionNode): boolean {
    return (node.directives ?? []).every(({ name, arguments: args }) => {
      const expected = name.value === 'skip' ? false : name.value === 'include' ? true : null
      const condition = args?.[0]?.value
      return expected === null || condition === undefined || valueIn(condition, this.#values) === expected
    })
  }

  field(node: FieldNode, sets: readonly SelectionSetNode[]): Field {
    return new Field(node, sets.length > 0 ? new Selection(sets, this) : null)
  }
}

function valuesIn(args: readonly ArgumentNode[], values: Values): Values {
  return Object.fromEntries(args.map(({ name, value }) => [name.value, valueIn(value, values)]))
}

export function valueIn(node: ValueNode, values: Values): unknown {
  switch (node.kind) {
    case 'Variable':
      return values[node.name.value]
    case 'IntValue':
    case 'FloatValue':
      return Number(node.value)
    case 'NullValue':
      return null
    case 'ListValue':
      return node.values.map((value) => valueIn(value, values))
    case 'ObjectValue':
      return valuesIn(node.fields, values)
    default:
      return node.value
  }
}

function hasVariable(node: ValueNode): boolean {
  if (node.kind === 'ListValue') return node.values.some(hasVariable)
  if (node.kind === 'ObjectValue') return node.fields.some(({ value }) => hasVariable(value))
  return node.kind === 'Variable'
}
