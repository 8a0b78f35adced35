// A request, already translated, in the one form that the stores run. Plain data and complete: nothing behind a door
// looks at the request again, and the same question asked through two doors is the same plan, to deepEqual.
//
// 1. Values are slots, not literals: a plan is the shape of a question, and `Question.values` is what fills it. So one
//    plan, checked and compiled once, answers every request of its shape.
// 2. Model types are references into the Model, not names.
// 3. Where in the request a value came from stands in `Question.places`, beside the plan and not in it.

import type {
  Abstract,
  Argument,
  ComputedField,
  CustomOperation,
  Field,
  InverseField,
  LinksField,
  ReferenceField,
  Resource,
  StateField,
  StoredField,
  StoredType,
  ToManyField,
  ValueField,
} from '#model'

export type Plan = ReadPlan | WritePlan | WriteBatch
export type ReadPlan = RowRead | PageRead

/** A plan with what fills its slots. */
export interface BoundPlan<P extends Plan | SubscriptionPlan | CustomCall = Plan> {
  plan: P
  /** Raw values as the door got them, by slot index; `check` turns them into canonical ones. */
  values: readonly unknown[]
  /** Where each value came from, in the door's own words, by slot index: for errors only. */
  places: readonly string[]
}

/** A hole in a plan, and what may fill it. */
export interface Parameter {
  index: number
  accepts: ParameterType
}

export type ParameterType =
  | { kind: 'type'; type: StoredType } // one value of a stored type, never null
  | { kind: 'types'; type: StoredType } // a list of them, for `in` and `notIn`
  | { kind: 'field'; field: StoredField | ReferenceField | LinksField; merge: boolean } // a written value, with its constraints; null where optional
  | { kind: 'size'; most: 'page' } // a page size: 0 up to the limit
  | { kind: 'offset' }
  | { kind: 'version' }
  | { kind: 'password' }
  | { kind: 'argument'; argument: Argument } // of own code; what is left out takes its default
  | { kind: 'search' } // a text, whose words are looked for

// ---------------------------------------------------------------- reading

/** One row by its id. */
export interface RowRead {
  kind: 'one'
  of: Resource
  id: Parameter
  guard?: Guard
  selections: Selection[]
}

/** A page of rows. */
export interface PageRead {
  kind: 'many'
  of: Resource | Abstract
  /** As a root only: the collection of one row (`/users/{id}/posts`); no such row is a NOT_FOUND. */
  within: { field: ToManyField | LinksField; id: Parameter; guard?: Guard } | null
  where: Where | null
  /** Always total: ends with the id, and over an abstract with the type's name behind it. */
  order: OrderKey[]
  page: PageBounds
  shape: PageShape
}

/** How the page is given: a plain list, or a connection around it. */
export type PageShape =
  | { kind: 'list'; types: TypeSelection[] }
  | { kind: 'connection'; selections: ConnectionSelection[] }

/** What is picked of a row of this type. A concrete read has one case, one over an abstract has one for each member. */
export interface TypeSelection {
  of: Resource
  /** Of a referred row: one that does not pass is null. (The rows of a page are guarded by its `where`.) */
  guard?: Guard
  selections: Selection[]
}

/** A rule of the contract, put into a plan by `authorize` and by nobody else: in a door's plan there is none. What does not
 *  pass is not there (a row) or is a marker (a field). Absent: everything passes. */
export type Guard = Where

/** One member of the answer, in the order of the request; `key` is its name there. */
export type Selection =
  | { kind: 'constant'; key: string; value: string } // __typename
  | { kind: 'version'; key: string }
  // where a file is; `signed`: not everyone may read it, so that the address itself lets one in (`file-url.ts`)
  | { kind: 'url'; key: string; signed?: true }
  | { kind: 'field'; key: string; field: StoredField; guard?: Guard } // a scalar, an enum, JSON, or a list of these
  | { kind: 'value'; key: string; field: StoredField; guard?: Guard; selections: ValueSelection[] } // a value type, or lists of it
  // the id of the referred row alone; `targets` say of which rows of each type it may be told, absent: of all
  | { kind: 'id'; key: string; field: ReferenceField | InverseField; guard?: Guard; targets?: TypeSelection[] }
  // the states that the viewer could write there now; `open` is put in by `authorize`, absent: whatever follows the state
  | { kind: 'transitions'; key: string; field: StateField; guard?: Guard; open?: AllowedTransition[] }
  | { kind: 'one'; key: string; field: ReferenceField | InverseField; guard?: Guard; types: TypeSelection[] }
  | { kind: 'many'; key: string; field: ToManyField | LinksField; guard?: Guard; read: PageRead }
  | ComputedSelection

/** What own code answers. The store gives the row's id in its place, or the marker of what is refused, and beside it what
 *  the code is given of the row, under keys that no request can have; the engine puts the code's answer there. */
export interface ComputedSelection {
  kind: 'computed'
  key: string
  field: ComputedField
  guard?: Guard
  from: Selection[]
  args: BoundArgument[]
  result: CustomResult
}

export interface BoundArgument {
  argument: Argument
  parameter: Parameter
}

/** What is asked of own code's answer. Of rows the code names the ids: the read finds those that its viewer may see. */
export type CustomResult =
  | { kind: 'leaf' }
  | { kind: 'value'; selections: ValueSelection[] }
  | { kind: 'rows'; read: PageRead; ids: Parameter }

/** On which rows the state can follow. */
export interface AllowedTransition {
  to: string
  when: Where
}

export type ValueSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'field'; key: string; field: ValueField; selections: ValueSelection[] | null } // null: a leaf

export type ConnectionSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'edges'; key: string; selections: EdgeSelection[] }
  | { kind: 'pageInfo'; key: string; selections: PageInfoSelection[] }
  | { kind: 'totalCount'; key: string }

export type EdgeSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'node'; key: string; types: TypeSelection[] }
  | { kind: 'cursor'; key: string }

export type PageInfoSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'; key: string }

// ---------------------------------------------------------------- filters, order, pages

/** Over an abstract, `field` is the first member's: a store takes each member's field of that name. */
export type Where =
  | { kind: 'and' | 'or'; of: Where[] }
  | { kind: 'not'; of: Where }
  | { kind: 'constant'; is: boolean }
  | { kind: 'compare'; target: ComparedField; op: CompareOp; parameter: Parameter | ConstantValue }
  | { kind: 'viewer' } // the row is the viewer's own account
  | { kind: 'type'; of: Resource } // over an abstract: the row is of this type
  | { kind: 'null'; target: ComparedField | ReferenceField | InverseField; is: boolean }
  | { kind: 'through'; field: ReferenceField | InverseField; where: Where }
  | { kind: 'some'; field: ToManyField | LinksField; where: Where | null }
  | { kind: 'none'; field: ToManyField | LinksField; where: Where | null }
  // each word of the slot stands in one of these fields, of those that the row's own type has; never inside a `not`
  | { kind: 'search'; parameter: Parameter; fields: SearchedField[] }

/** A field that is searched, on the rows where it may be read. */
export interface SearchedField {
  field: StoredField
  guard?: Guard
}

/** A canonical value that a rule of the contract brings along, where a caller's filter has a slot. */
export interface ConstantValue {
  constant: unknown
}

/** A stored field, or a field inside its value type (`inside` is then the way there). */
export interface ComparedField {
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
export type OrderKey =
  | { kind: 'field'; field: StoredField; direction: Direction; guard?: Guard } // where it may not be read it sorts as null
  | { kind: 'type'; direction: Direction } // over an abstract: the name of the row's type
export type Direction = 'ASC' | 'DESC'

export type PageBounds =
  | { kind: 'offset'; limit: Parameter; offset: Parameter }
  | { kind: 'keyset'; first: Parameter; after: (Parameter | null)[] | null } // one for each key of the order; null: it was NULL there

// ---------------------------------------------------------------- writing

export interface WritePlan {
  kind: 'write'
  /** `replace` creates what is not there. */
  action: 'create' | 'replace' | 'update' | 'delete'
  of: Resource
  /** Of a create in a transaction: one that was made before, so that others in it can refer to the row. */
  id: Parameter | null
  set: SetMember[]
  ifVersion: Parameter | null
  /** What else must hold of the row as it is (RFC 9110, 13.1); absent: nothing. */
  preconditions?: Preconditions
  /** What is answered of the row that was written; empty for a delete. */
  answer: Selection[]
  /** Taken out of `set` by `authorize`: the password of an account, which is no field. */
  password?: Parameter
  /** Put in by `authorize`; absent: nothing is judged. */
  checks?: WriteChecks
  /** The moves of the type's state fields, put in by `authorize`; absent: any state may be written. */
  states?: StateTransitions[]
}

/** Several writes, all of them or none. What they answer is one list of picks for all. */
export interface WriteBatch {
  kind: 'batch'
  writes: WritePlan[]
}

/** Conditions on the row before a write, judged in the write's own transaction; all that are there must hold. */
export interface Preconditions {
  presence?: 'there' | 'none'
  /** Lists of versions: it has one of these, or none of those. */
  versions?: Parameter
  otherVersions?: Parameter
  /** A moment that the last update, by this field, is not behind; to the second, as HTTP says times. */
  unmodified?: { by: StoredField; since: Parameter }
}

/** The rules that a write must pass, for this class of viewers. Absent members pass; `{kind: 'constant', is: false}` never
 *  does. */
export interface WriteChecks {
  /** READ of the row as it is: without it the row is not there for this viewer. */
  read?: Guard
  /** UPDATE or DELETE, on the row as it was. */
  before?: Guard
  /** CREATE, on the row as it would be; lists are read as they stood before the write. */
  create?: Guard
  /** UPDATE, on the row as it would be. */
  after?: Guard
  /** Fields with lines of their own: each that the write gives or changes must pass, on the new row for a create (`create`),
   *  on the row before and after for an update (`update`). */
  fields: { field: SetField['field']; create?: Guard; update?: Guard }[]
  /** Whose password the viewer may change, of the row as it was; the right to update an account is not the right to take it
   *  over. */
  password?: Guard
  /** Fields that this viewer can't always read: a replace that leaves one out keeps it where it can't be read. */
  hidden: { field: SetField['field']; guard: Guard }[]
  /** READ of each type that the write may refer or link to: who can't read a row can't refer to it. */
  targets: Map<Resource, Guard>
  /** Many-to-many lists that the other type holds (the one that names the relation first, but for an account): each row
   *  there whose list the write changes must pass, so that nobody lets themselves in from the far side. */
  holders: { field: LinksField; guard: Guard }[]
  /** References that may stand against a delete, and not everyone may read: only who can read one is told of it. */
  referrers: { field: ReferenceField; guard: Guard }[]
}

/** Which moves of a state field this class of viewers can make (product.md, section 3). */
export interface StateTransitions {
  field: StateField
  rules: TransitionRule[]
}

/** One `@next` line. */
export interface TransitionRule {
  from: string
  to: readonly string[]
  /** By the row as it was: the line is itself the way in. Absent: it is for who may update the row, and the field. */
  who?: Guard
  /** Each must hold of the row as it would be. `words` say it to the viewer; null where they would tell of a field that the
   *  viewer can never read. */
  requirements: { guard: Guard; words: string | null }[]
}

export interface SetField {
  field: StoredField | ReferenceField | LinksField
  parameter: Parameter
  /** Of a list of links: these are added to those that there are, or taken from them. Absent: the list is as it is given. */
  change?: 'add' | 'remove'
}

/** Rows of an owned list, made along with the row that they belong to; each as a create of its own would make it. */
export interface SetRows {
  field: ToManyField
  rows: SetMember[][]
  /** Put in by `authorize`, as that of the write. */
  checks?: WriteChecks
}

export type SetMember = SetField | SetRows

/** Every field that is set, those of rows inside of it too. */
export function* setFields(set: readonly SetMember[]): Iterable<SetField> {
  for (const member of set) {
    if (isRows(member)) for (const row of member.rows) yield* setFields(row)
    else yield member
  }
}

export function isRows(member: SetMember): member is SetRows {
  return 'rows' in member
}

// ---------------------------------------------------------------- events

export type ChangeKind = 'created' | 'updated' | 'deleted'

/** What is told of the changes of a type's rows: of the row its own fields as of the change, of all beyond them as of now. */
export interface SubscriptionPlan {
  kind: 'subscription'
  of: Resource
  /** A row that does not fulfil it is, for who asks so, as one that may not be read. */
  where: Where | null
  selections: Selection[]
  /** READ of the row; put in by `authorize`. */
  guard?: Guard
  /** The fields that have lines of their own, put in by `authorize`: a change of nothing but what can't be read is not told. */
  guarded?: { field: Field; guard: Guard }[]
}

// ---------------------------------------------------------------- own code

/** An operation that own code answers. */
export interface CustomCall {
  kind: 'call'
  operation: CustomOperation
  args: BoundArgument[]
  result: CustomResult
}

// ---------------------------------------------------------------- answers

/** What own code failed with at a place of the answer, where a mark stands (failure.ts). Absent: it did not fail. */
export interface CodeFailure {
  error: unknown
  /** The field that failed; of a call, its operation. */
  field: ComputedField | CustomOperation
  /** Whether it is the field itself; otherwise a place in its value that may be null. */
  isWhole: boolean
  /** Where inside its value, from the mark on. */
  inside: readonly (string | number)[]
}

/** What a call came to. */
export interface CustomCallResult {
  text: string
  /** It was made before, and this is the answer of then. */
  replayed?: true
  failures?: readonly CodeFailure[]
}

export type PlanResult =
  | { kind: 'one'; text: string | null; version: number; failures?: readonly CodeFailure[] } // null: no such row
  | { kind: 'many'; text: string; more: boolean; total: number | null; failures?: readonly CodeFailure[] }
  | WrittenRow
  | { kind: 'deleted'; found: boolean; id: string; replayed?: true }
  | { kind: 'batch'; answers: PlanResult[]; replayed?: true }

interface WrittenRow {
  kind: 'written'
  text: string
  id: string
  version: number
  created: boolean
  failures?: readonly CodeFailure[]
  /** It was made before, and this is the answer of then. */
  replayed?: true
}
