// The interface `Node` of Relay: each row of the schema file has an id that is unique among all types, and `node` finds the row by it.
// The field is `_nodeId`, because `id` is unique in its type only. Clients must not read meaning into it.

import type { Abstract, Model, Resource } from '#model'
import { hasNodeInterface } from '#model/names'
import { isPossibleId } from '#plan/build'

export const nodeIdField = '_nodeId'

/** A row by its type and its id. */
export interface NamedNode {
  of: Resource
  id: string
}

export class NodeTypes {
  readonly #types: ReadonlySet<Resource>
  /** By the present name of the type, and by its previous one (`@was`): ids from before a rename stay valid. */
  readonly #byPrefix: ReadonlyMap<string, Resource>

  constructor(types: readonly Resource[]) {
    this.#types = new Set(types)
    const previous = types.flatMap((of) => (of.alias === undefined ? [] : [[prefixFor(of.alias), of] as const]))
    this.#byPrefix = new Map([...previous, ...types.map((of) => [prefixFor(of.name), of] as const)])
  }

  /** Whether rows of this type have a `_nodeId`; for an interface, whether all of them do. */
  has(of: Resource | Abstract): boolean {
    return of.kind === 'resource' ? this.#types.has(of) : of.members.every((member) => this.#types.has(member))
  }

  /** What stands before the id of a row in its `_nodeId`. */
  prefixOf({ name }: Resource): string {
    return prefixFor(name)
  }

  /** Null: it is not the id of a row of any type. */
  find(nodeId: unknown): NamedNode | null {
    if (typeof nodeId !== 'string') return null
    const end = nodeId.indexOf(separator) + 1
    const of = this.#byPrefix.get(nodeId.slice(0, end))
    const id = nodeId.slice(end)
    return of === undefined || !isPossibleId(id) ? null : { of, id }
  }

  /** The types that these ids name, in the order of the schema file. They are the part of the value that a plan depends on. */
  typesOf(nodeIds: unknown): Resource[] {
    const named = new Set((Array.isArray(nodeIds) ? nodeIds : [nodeIds]).map((nodeId) => this.find(nodeId)?.of))
    return [...this.#types].filter((of) => named.has(of))
  }
}

/** No base64url text and no id of a row has it. */
const separator = '.'

function prefixFor(type: string): string {
  return `${Buffer.from(type).toString('base64url')}${separator}`
}

/** Null: the schema has no types with rows, or something else with one of the names. */
export function nodeTypesOf(model: Model): NodeTypes | null {
  return hasNodeInterface(model) ? new NodeTypes(model.resources) : null
}
