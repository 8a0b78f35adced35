// "Field Selection Merging" (specification, section 5.3.2): fields with one response key must be the same field with the same
// arguments, and return the same shape. graphql-js compares every pair of fields and of fragments: its time is quadratic, and a
// document of 2,000 tokens takes more than a second. This rule visits each position of the response once:
//
// 1. The fields of a position are those of all selection sets that lead there, with fragments expanded, by response key.
// 2. Fields of two object types never meet in one object; fields of an interface meet all others. So the fields of each object
//    type are compared together with those of the abstract types.
// 3. Equality is transitive: each field is compared with the first one only.
// 4. Sets that were checked together are not checked again, which also ends cycles. The number of visited fields is bounded.

import {
  type ASTVisitor,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  print,
  type SelectionSetNode,
  type ValidationContext,
  type ValueNode,
} from 'graphql'
import { fieldType } from './selection.ts'

/** For one document: more than any document within the limits of cost needs. */
const maxVisitedFields = 50_000

/** A validation rule that replaces OverlappingFieldsCanBeMergedRule of graphql-js. */
export function FieldsCanMergeRule(context: ValidationContext): ASTVisitor {
  const checker = new MergeChecker(context)
  return {
    OperationDefinition(operation) {
      const type = context.getSchema().getRootType(operation.operation) ?? undefined
      checker.check([{ set: operation.selectionSet, parent: type }])
      return false
    },
  }
}

/** A selection set, and the type whose fields it names. */
interface PlacedSelectionSet {
  set: SelectionSetNode
  parent: GraphQLNamedType | undefined
}

interface PlacedField {
  node: FieldNode
  parent: GraphQLNamedType | undefined
  type: GraphQLOutputType | undefined
}

class MergeChecker {
  readonly #context: ValidationContext
  readonly #numbers = new Map<SelectionSetNode, number>()
  readonly #checked = new Set<string>()
  #visitedFields = 0
  #isAborted = false

  constructor(context: ValidationContext) {
    this.#context = context
  }

  check(sets: readonly PlacedSelectionSet[]): void {
    this.#checkShape(sets)
    this.#checkSameFields(sets)
  }

  /** SameResponseShape: a key has one shape for all types. */
  #checkShape(sets: readonly PlacedSelectionSet[]): void {
    if (this.#isChecked('shape', sets)) return
    for (const fields of this.#fieldsByKey(sets).values()) {
      const typed = fields.filter(({ type }) => type !== undefined)
      const [first] = typed
      const other = typed.find(({ type }) => !haveSameShape(first!.type!, type!))
      if (other !== undefined) this.#reportTypes(first!, other)
      else this.#checkShape(selectionSetsOf(fields))
    }
  }

  /** FieldsInSetCanMerge, for each object type. */
  #checkSameFields(sets: readonly PlacedSelectionSet[]): void {
    if (this.#isChecked('same', sets)) return
    for (const fields of this.#fieldsByKey(sets).values()) {
      for (const together of byObjectType(fields)) {
        const [first] = together
        const other = together.find((field) => field !== first && differ(first!.node, field.node))
        if (other !== undefined) this.#reportFields(first!, other)
        else this.#checkSameFields(selectionSetsOf(together))
      }
    }
  }

  #isChecked(what: string, sets: readonly PlacedSelectionSet[]): boolean {
    if (this.#isAborted || sets.length === 0) return true
    const numbers = sets.map(({ set }) => this.#numberOf(set)).sort((a, b) => a - b)
    const key = `${what} ${numbers.join(' ')}`
    if (this.#checked.has(key)) return true
    this.#checked.add(key)
    return false
  }

  #numberOf(set: SelectionSetNode): number {
    const known = this.#numbers.get(set)
    if (known !== undefined) return known
    this.#numbers.set(set, this.#numbers.size)
    return this.#numbers.size - 1
  }

  #fieldsByKey(sets: readonly PlacedSelectionSet[]): Map<string, PlacedField[]> {
    const fields = new Map<string, PlacedField[]>()
    const seen = new Set<string>()
    for (const { set, parent } of sets) this.#collect(set, parent, fields, seen)
    return fields
  }

  #collect(
    { selections }: SelectionSetNode,
    parent: GraphQLNamedType | undefined,
    fields: Map<string, PlacedField[]>,
    seen: Set<string>,
  ): void {
    for (const selection of selections) {
      if (!this.#countField()) return
      switch (selection.kind) {
        case Kind.FIELD: {
          const key = (selection.alias ?? selection.name).value
          const field = { node: selection, parent, type: fieldType(parent, selection.name.value) }
          const known = fields.get(key)
          if (known === undefined) fields.set(key, [field])
          else known.push(field)
          break
        }
        case Kind.INLINE_FRAGMENT: {
          const name = selection.typeCondition?.name.value
          const type = name === undefined ? parent : this.#context.getSchema().getType(name)
          this.#collect(selection.selectionSet, type, fields, seen)
          break
        }
        case Kind.FRAGMENT_SPREAD: {
          const name = selection.name.value
          if (seen.has(name)) break
          seen.add(name)
          const fragment: FragmentDefinitionNode | null | undefined = this.#context.getFragment(name)
          if (!fragment) break
          const type = this.#context.getSchema().getType(fragment.typeCondition.name.value)
          this.#collect(fragment.selectionSet, type, fields, seen)
          break
        }
      }
    }
  }

  #countField(): boolean {
    if (++this.#visitedFields <= maxVisitedFields) return true
    if (!this.#isAborted) {
      this.#isAborted = true
      this.#context.reportError(new GraphQLError('The document has too many fields to be checked for conflicts.'))
    }
    return false
  }

  #reportTypes(a: PlacedField, b: PlacedField): void {
    this.#report(a, b, `they return conflicting types "${a.type}" and "${b.type}"`)
  }

  #reportFields(a: PlacedField, b: PlacedField): void {
    const [one, other] = [a.node.name.value, b.node.name.value]
    const why = one === other ? 'they have differing arguments' : `"${one}" and "${other}" are different fields`
    this.#report(a, b, why)
  }

  #report(a: PlacedField, b: PlacedField, why: string): void {
    const key = (a.node.alias ?? a.node.name).value
    const text = `Fields "${key}" conflict because ${why}. Use different aliases on the fields to fetch both if this was intentional.`
    this.#context.reportError(new GraphQLError(text, { nodes: [a.node, b.node] }))
  }
}

/** Fields that can meet in one object: for each object type its own and those of abstract types. */
function byObjectType(fields: readonly PlacedField[]): PlacedField[][] {
  if (fields.length === 1) return [[...fields]]
  const abstract = fields.filter(({ parent }) => !isObjectType(parent))
  const groups = new Map<GraphQLNamedType | undefined, PlacedField[]>()
  for (const field of fields) {
    if (!isObjectType(field.parent)) continue
    const known = groups.get(field.parent)
    if (known === undefined) groups.set(field.parent, [field])
    else known.push(field)
  }
  if (groups.size === 0) return [abstract]
  return [...groups.values()].map((group) => [...group, ...abstract])
}

function selectionSetsOf(fields: readonly PlacedField[]): PlacedSelectionSet[] {
  return fields.flatMap(({ node, type }) =>
    node.selectionSet === undefined
      ? []
      : [{ set: node.selectionSet, parent: type === undefined ? undefined : getNamedType(type) }],
  )
}

function haveSameShape(a: GraphQLOutputType, b: GraphQLOutputType): boolean {
  if (isNonNullType(a) || isNonNullType(b))
    return isNonNullType(a) && isNonNullType(b) && haveSameShape(a.ofType, b.ofType)
  if (isListType(a) || isListType(b)) return isListType(a) && isListType(b) && haveSameShape(a.ofType, b.ofType)
  return !(isLeafType(a) || isLeafType(b)) || a === b
}

function differ(a: FieldNode, b: FieldNode): boolean {
  return a.name.value !== b.name.value || argumentsText(a) !== argumentsText(b)
}

const texts = new WeakMap<FieldNode, string>()

/** Equal for equal arguments in any order. */
function argumentsText(node: FieldNode): string {
  if (node.arguments === undefined || node.arguments.length === 0) return ''
  const known = texts.get(node)
  if (known !== undefined) return known
  const text = node.arguments
    .map(({ name, value }) => `${name.value}: ${valueText(value)}`)
    .sort()
    .join(', ')
  texts.set(node, text)
  return text
}

/** The fields of an input object have no order (specification, section 2.9.8). */
function valueText(value: ValueNode): string {
  if (value.kind === Kind.LIST) return `[${value.values.map(valueText).join(', ')}]`
  if (value.kind !== Kind.OBJECT) return print(value)
  const members = value.fields.map(({ name, value: member }) => `${name.value}: ${valueText(member)}`)
  return `{${members.sort().join(', ')}}`
}
