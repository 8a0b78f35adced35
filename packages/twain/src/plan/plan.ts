// A request, already translated, in the one form that the stores run. Plain data and complete: nothing behind a door
// looks at the request again, and the same question asked through two doors is the same plan, to deepEqual.
//
// 1. Values are slots, not literals: a plan is the shape of a question, and `Question.values` is what fills it. So one
//    plan, checked and compiled once, answers every request of its shape.
// 2. Model types are references into the Model, not names.
// 3. Where in the request a value came from stands in `Question.places`, beside the plan and not in it.

import type {
  Abstract,
  InverseField,
  LinksField,
  ReferenceField,
  Resource,
  StoredField,
  StoredType,
  ToManyField,
  ValueField,
} from '#model'

export type Plan = Read | Write
export type Read = One | Many

/** A plan with what fills its slots. */
export interface Question<P extends Plan = Plan> {
  plan: P
  /** Raw values as the door got them, by slot index; `check` turns them into canonical ones. */
  values: readonly unknown[]
  /** Where each value came from, in the door's own words, by slot index: for errors only. */
  places: readonly string[]
}

/** A hole in a plan, and what may fill it. */
export interface Slot {
  index: number
  fits: Fits
}

export type Fits =
  | { kind: 'type'; type: StoredType } // one value of a stored type, never null
  | { kind: 'types'; type: StoredType } // a list of them, for `in` and `notIn`
  | { kind: 'field'; field: StoredField | ReferenceField | LinksField; merge: boolean } // a written value, with its constraints; null where optional
  | { kind: 'size'; most: 'page' } // a page size: 0 up to the limit
  | { kind: 'offset' }
  | { kind: 'version' }

// ---------------------------------------------------------------- reading

/** One row by its id. */
export interface One {
  kind: 'one'
  of: Resource
  id: Slot
  pick: Pick[]
}

/** A page of rows. */
export interface Many {
  kind: 'many'
  of: Resource | Abstract
  /** As a root only: the collection of one row (`/users/{id}/posts`); no such row is a NOT_FOUND. */
  within: { field: ToManyField | LinksField; id: Slot } | null
  where: Where | null
  /** Always total: ends with the id, and over an abstract with the type's name behind it. */
  order: Order[]
  page: Page
  shape: Shape
}

/** How the page is given: a plain list, or a connection around it. */
export type Shape = { kind: 'list'; cases: Case[] } | { kind: 'connection'; pick: ConnectionPick[] }

/** What is picked of a row of this type. A concrete read has one case, one over an abstract has one for each member. */
export interface Case {
  of: Resource
  pick: Pick[]
}

/** One member of the answer, in the order of the request; `key` is its name there. */
export type Pick =
  | { kind: 'constant'; key: string; value: string } // __typename
  | { kind: 'version'; key: string }
  | { kind: 'field'; key: string; field: StoredField } // a scalar, an enum, JSON, or a list of these
  | { kind: 'value'; key: string; field: StoredField; pick: ValuePick[] } // a value type, or lists of it
  | { kind: 'id'; key: string; field: ReferenceField | InverseField } // the id of the referred row alone
  | { kind: 'one'; key: string; field: ReferenceField | InverseField; cases: Case[] }
  | { kind: 'many'; key: string; field: ToManyField | LinksField; read: Many }

export type ValuePick =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'field'; key: string; field: ValueField; pick: ValuePick[] | null } // null: a leaf

export type ConnectionPick =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'edges'; key: string; pick: EdgePick[] }
  | { kind: 'pageInfo'; key: string; pick: PageInfoPick[] }
  | { kind: 'totalCount'; key: string }

export type EdgePick =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'node'; key: string; cases: Case[] }
  | { kind: 'cursor'; key: string }

export type PageInfoPick =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'; key: string }

// ---------------------------------------------------------------- filters, order, pages

/** Over an abstract, `field` is the first member's: a store takes each member's field of that name. */
export type Where =
  | { kind: 'and' | 'or'; of: Where[] }
  | { kind: 'not'; of: Where }
  | { kind: 'constant'; is: boolean }
  | { kind: 'compare'; target: Target; op: CompareOp; slot: Slot }
  | { kind: 'null'; target: Target | ReferenceField | InverseField; is: boolean }
  | { kind: 'through'; field: ReferenceField | InverseField; where: Where }
  | { kind: 'some'; field: ToManyField | LinksField; where: Where | null }
  | { kind: 'none'; field: ToManyField | LinksField; where: Where | null }

/** A stored field, or a field inside its value type (`inside` is then the way there). */
export interface Target {
  kind: 'target'
  field: StoredField
  inside: ValueField[]
}

export type CompareOp =
  | 'eq'
  | 'ne'
  | 'in'
  | 'notIn'
  | 'lt'
  | 'lte'
  | 'gt'
  | 'gte'
  | 'contains'
  | 'startsWith'
  | 'endsWith'

/** One key of the order; NULLs are last in both directions. */
export type Order = { kind: 'field'; field: StoredField; direction: Direction } | { kind: 'type'; direction: Direction } // over an abstract: the name of the row's type
export type Direction = 'ASC' | 'DESC'

export type Page =
  | { kind: 'offset'; limit: Slot; offset: Slot }
  | { kind: 'keyset'; first: Slot; after: (Slot | null)[] | null } // one for each key of the order; null: it was NULL there

// ---------------------------------------------------------------- writing

export interface Write {
  kind: 'write'
  /** `replace` creates what is not there. */
  action: 'create' | 'replace' | 'update' | 'delete'
  of: Resource
  id: Slot | null
  set: SetField[]
  ifVersion: Slot | null
  /** What is answered of the row that was written; empty for a delete. */
  answer: Pick[]
}

export interface SetField {
  field: StoredField | ReferenceField | LinksField
  slot: Slot
}

// ---------------------------------------------------------------- answers

export type Answer =
  | { kind: 'one'; text: string | null; version: number } // null: no such row
  | { kind: 'many'; text: string; more: boolean; total: number | null }
  | { kind: 'written'; text: string; id: string; version: number; created: boolean }
  | { kind: 'deleted'; found: boolean; id: string }
