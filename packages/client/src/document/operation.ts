// A prepared document, once for each text or tree: the text to send, and the selections by which the cache reads and writes.
// A `BoundOperation` has its variables; equal variables of a query give the same object, whatever the order of their keys.

import type { DocumentNode, FieldNode, FragmentNode, OperationKind, OperationNode, SelectionSetNode } from './ast.ts'
import { parse } from './parse.ts'
import { DocumentParts, Selection, type Values, valueIn } from './selection.ts'
import { stable } from './stable.ts'

/** The types that documents of gql.tada and graphql-codegen carry. */
interface Typed<Result, Variables> {
  readonly __apiType?: ((variables: Variables) => Result) | undefined
}

/** A text, a tree, or the output of a generator. */
export type Source<Result = unknown, Variables = unknown> =
  | string
  | ({ readonly kind: 'Document'; readonly definitions: readonly unknown[] } & Typed<Result, Variables>)
  // biome-ignore lint/complexity/noBannedTypes: codegen's document strings are objects of this kind
  | (String & Typed<Result, Variables>)

export interface BoundOperation {
  readonly operation: Operation
  readonly values: Values
  /** Equal for the same operation with the same variables. */
  readonly key: string
  readonly select: Selection
}

const maxCachedOperations = 500

export class Operation {
  readonly kind: OperationKind
  readonly name: string | undefined
  /** Identifies the operation: its text, or the number of its tree. */
  readonly #identity: string
  #sent: string | null
  /** The parsed document. */
  readonly document: DocumentNode
  readonly root: OperationNode
  readonly #defaults: Values
  readonly #fragments: ReadonlyMap<string, FragmentNode>
  /** The variables on which `@skip` and `@include` depend. */
  readonly #switches: readonly string[]
  readonly #selections = new Map<string, Selection>()
  readonly #bound = new Map<string, BoundOperation>()

  /** Without a text, the document is printed when it is sent. */
  constructor(document: DocumentNode, sent: string | null) {
    const operations = document.definitions.filter((node) => node.kind === 'OperationDefinition')
    const [root] = operations
    if (root === undefined || operations.length > 1)
      throw new TypeError(`A document has one operation for the client; this one has ${operations.length}.`)
    this.document = document
    this.root = root
    this.kind = root.operation
    this.name = root.name?.value
    this.#sent = sent
    this.#identity = sent ?? `${this.kind} ${this.name} ${++trees}`
    this.#defaults = Object.fromEntries(
      (root.variableDefinitions ?? []).map(({ variable, defaultValue }) => [
        variable.name.value,
        defaultValue && valueIn(defaultValue, {}),
      ]),
    )
    this.#fragments = new Map(
      document.definitions.flatMap((node) => (node.kind === 'FragmentDefinition' ? [[node.name.value, node]] : [])),
    )
    this.#switches = document.definitions.flatMap((node) => conditionVariablesOf(node.selectionSet))
  }

  bind(variables: object | undefined): BoundOperation {
    const values: Record<string, unknown> = {}
    for (const name in this.#defaults) {
      const value = (variables as Values | undefined)?.[name]
      values[name] = value === undefined ? this.#defaults[name] : value
    }
    const key = `${this.#identity} ${stable(values)}`
    const make = () => ({ operation: this, values, key, select: this.#select(values) })
    if (this.#bound.size >= maxCachedOperations) this.#bound.clear()
    // Files have no JSON text: mutations with different files have equal keys.
    return this.kind === 'mutation' ? make() : keep(this.#bound, key, make)
  }

  async text(): Promise<string> {
    this.#sent ??= (await import('./print.ts')).print(this.document)
    return this.#sent
  }

  #select(values: Values): Selection {
    const key = this.#switches.map((name) => values[name]).join()
    const make = () => new Selection([this.root.selectionSet], new DocumentParts(this.#fragments, values), true)
    return keep(this.#selections, key, make)
  }
}

function conditionVariablesOf({ selections }: SelectionSetNode): string[] {
  return selections.flatMap((node) => [
    ...(node.directives ?? []).flatMap(({ name, arguments: args = [] }) =>
      /^(skip|include)$/.test(name.value)
        ? args.flatMap(({ value }) => (value.kind === 'Variable' ? value.name.value : []))
        : [],
    ),
    ...conditionVariablesOf((node as FieldNode).selectionSet ?? { selections: [] }),
  ])
}

let trees = 0
const byText = new Map<string, Operation>()
const byTree = new WeakMap<object, Operation>()

export function operationOf(source: Source<unknown, never>): Operation {
  if (typeof source === 'object' && 'kind' in source)
    return keep(byTree, source, () => new Operation(source as DocumentNode, null))
  const text = String(source)
  if (byText.size >= maxCachedOperations) byText.clear()
  return keep(byText, text, () => {
    const { document, sent } = parse(text)
    return new Operation(document, sent)
  })
}

/** Returns the value of a key, or creates it. */
function keep<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  make: () => Value,
): Value {
  const there = map.get(key)
  if (there !== undefined) return there
  const made = make()
  map.set(key, made)
  return made
}
