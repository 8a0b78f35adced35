// A request, translated by its adapter into the one form that stores run. It is plain data and complete: nothing behind the
// adapter looks at the request again. The same request through two adapters is the same plan, to deepEqual.
//
// 1. Values are parameters, not literals: a plan is the shape of a request, and `BoundPlan.values` fills it. So one plan,
//    checked and compiled once, serves every request of its shape.
// 2. Model types are references into the Model, not names.
// 3. The place of each value in the request is in `BoundPlan.places`, beside the plan and not in it.

import {
  type Abstract,
  type Argument,
  type CompareOp,
  type ComputedField,
  type CustomOperation,
  type Field,
  type FieldMeasure,
  type InverseField,
  isFile,
  type KeyField,
  type LinksField,
  type ListField,
  type MeasureOperator,
  type ReferenceField,
  type Resource,
  type StateField,
  type StoredField,
  type StoredType,
  type TimePart,
  type ToManyField,
  type ValueField,
} from '#model'

export type Plan = ReadPlan | WritePlan | WriteBatch | BulkWrite
/** Whether the write is judged and then undone, whatever its outcome. */
export function isRehearsal(plan: Plan): boolean {
  return plan.kind === 'write' && plan.signUp === 'rehearsal'
}

export type ReadPlan = RowRead | PageRead | GroupRead

export function isReadPlan(plan: Plan): plan is ReadPlan {
  return plan.kind === 'one' || plan.kind === 'many' || plan.kind === 'groups'
}

/** A plan with the values of its parameters. */
export interface BoundPlan<P extends Plan | SubscriptionPlan | CustomCall = Plan> {
  plan: P
  /** Raw values from the adapter, by parameter index. `check` turns them into canonical ones. */
  values: readonly unknown[]
  /** The place of each value in the request, by parameter index: for errors only. */
  places: readonly string[]
  /** Absent: there can be none. */
  deprecated?: DeprecatedNames
}

/** Where a request uses aliases, or arguments, enum values and fields of values that are deprecated (`build/deprecated-names.ts`). What is
 *  deprecated and part of the plan itself is not among them. */
export interface DeprecatedNames {
  /** Aliases of types and fields: `Post.heading`. */
  names: readonly string[]
  /** The parameters whose values may have deprecated enum values or fields of a value type. */
  parameters: readonly Parameter[]
  /** Deprecated arguments; one without a value is not used. */
  args: readonly { index: number; path: string }[]
}

/** A placeholder in a plan, and the values that it accepts. */
export interface Parameter {
  index: number
  accepts: ParameterType
}

export type ParameterType =
  | { kind: 'type'; type: StoredType; ofRow?: true } // one value of a stored type, never null; `ofRow`: the id of a row
  | { kind: 'types'; type: StoredType; ofRow?: true } // a list of them, for `in` and `notIn`
  | { kind: 'bound'; type: StoredType; is: 'least' | 'greatest' } // one end of `between`
  /** A value to write, with its constraints; null if optional. `mayKeep`: the row may hold an enum value of a newer schema, which a
   *  client may send back. The store rejects it where the row does not hold it. */
  | { kind: 'field'; field: StoredField | ReferenceField | LinksField; merge: boolean; mayKeep?: true }
  | { kind: 'ids' } // of rows of a list, each once
  | { kind: 'increment'; field: StoredField } // a number to add to the one that the row holds; not 0
  // a page size: from 0 to `limits.page`, or to the size that is always allowed; `max`: to this one
  | { kind: 'size'; allowed?: number; max?: number }
  | { kind: 'offset' }
  | { kind: 'version' }
  | { kind: 'password' }
  | { kind: 'currentPassword' } // null: it was not sent
  | { kind: 'argument'; argument: Argument } // of custom code; one that is left out takes its default
  | { kind: 'search' } // a text; rows must have its words
  | { kind: 'timeZone' } // the name of one
  | { kind: 'path' } // to a value inside JSON: `size.width`; its keys, once it is checked
  | { kind: 'image' } // a variant of an image; the query string of its URL, once it is checked, or an empty text

// ---------------------------------------------------------------- reading

/** A field of a unique key (`@unique`), and its value in the request. */
export interface KeyPart {
  field: KeyField
  parameter: Parameter
}

/** How a plan finds one row: by its id, or by all parts of a unique key, in the order of the schema. With a key, `id` is null. */
export interface RowLocator {
  id: Parameter | null
  key?: KeyPart[]
}

/** One row by its id or by a unique key. The result of a read by a key has the id. */
export interface RowRead extends RowLocator {
  kind: 'one'
  of: Resource
  guard?: Guard
  selections: Selection[]
}

/** A page of rows. */
export interface PageRead {
  kind: 'many'
  of: Resource | Abstract
  /** As a root only: the collection of one row (`/users/{id}/posts`); no such row is a NOT_FOUND. */
  within: (RowLocator & { field: ToManyField | LinksField; guard?: Guard }) | null
  /** As a root, of a type with `@softDelete`: deleted rows alone, or all rows. Absent: those that are not deleted. */
  deleted?: DeletedRows
  /** As a root, of a resource: only rows that its rules give to the viewer (`ownerPathsOf`). `authorize` makes it a condition. */
  owner?: 'viewer'
  where: Where | null
  /** Always total: ends with the id, and over an abstract with the type's name behind it. */
  order: OrderKey[]
  /** Of the rows that have equal values in all of these, only the first in the order; a null equals a null. Absent: all rows. */
  distinct?: GroupedField[]
  page: PageBounds
  shape: PageShape
}

/** Deleted rows that can be restored. */
export interface DeletedRows {
  rows: 'only' | 'with'
  /** DELETE, which a deleted row must pass to be seen. */
  guard?: Guard
}

/** The shape of the page in the result: a plain list, or a connection. A list has no place for the total number of rows, so the
 *  result has it beside the list. */
export type PageShape =
  | ({ kind: 'list'; types: TypeSelection[]; total?: true } & CountOptions)
  | { kind: 'connection'; selections: ConnectionSelection[] }

/** How rows are counted. An estimate is exact up to some thousands of rows (`store/sql/page-counts.ts`). */
export interface CountOptions {
  isEstimated?: true
}

/** What is selected of a row of this type. A read of a resource has one; a read of an abstract has one for each member. */
export interface TypeSelection {
  of: Resource
  /** For a referenced row: a row that does not pass is null. (The `where` of a page guards its rows.) */
  guard?: Guard
  selections: Selection[]
}

/** An access rule. Only `authorize` puts guards into a plan; the plan of an adapter has none. A row that does not pass is
 *  absent, a field that does not pass is a marker. An absent guard passes everything. */
export type Guard = Where

/** One member of the result, in the order of the request; `key` is its name there. */
export type Selection =
  | { kind: 'constant'; key: string; value: string | null } // __typename; null: a field that this response never has
  | { kind: 'version'; key: string }
  | { kind: 'globalId'; key: string; prefix: string } // the id of the row behind a text that names its type
  // the URL of a file, or of a variant of the image; `signed`: not everyone may read the file, so the URL carries a signature
  // (`markers.ts`)
  | { kind: 'url'; key: string; image?: Parameter; signed?: true }
  // a scalar, an enum, JSON, or a list of these; `cut`: a text or JSON with more characters is shortened to this number and `…`
  | { kind: 'field'; key: string; field: StoredField; guard?: Guard; cut?: Parameter }
  | { kind: 'value'; key: string; field: StoredField; guard?: Guard; selections: ValueSelection[] } // a value type, or a list of them
  // only the id of the referenced row; `targets`: the rows of each type whose id the viewer may read, absent: all
  | { kind: 'id'; key: string; field: ReferenceField | InverseField; guard?: Guard; targets?: TypeSelection[] }
  // the states that the viewer could write now; `authorize` puts in `open`, absent: every state that can follow
  | { kind: 'transitions'; key: string; field: StateField; guard?: Guard; open?: AllowedTransition[] }
  | { kind: 'one'; key: string; field: ReferenceField | InverseField; guard?: Guard; types: TypeSelection[] }
  | { kind: 'many'; key: string; field: ToManyField | LinksField; guard?: Guard; read: PageRead }
  | { kind: 'groups'; key: string; field: ToManyField | LinksField; guard?: Guard; read: GroupRead }
  | { kind: 'changes'; key: string; read: HistoryRead }
  | ComputedSelection

/** A computed field. The store puts the row's id in its place (or the forbidden marker), and the inputs of the code beside it,
 *  under keys that no request can use. The engine replaces the id by the value of the code. */
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

/** What is selected of the value of custom code. For rows the code names ids, and `read` finds those that the viewer may see. */
export type CustomResult =
  | { kind: 'leaf' }
  | { kind: 'value'; selections: ValueSelection[] }
  | { kind: 'rows'; read: PageRead; ids: Parameter }

/** The rows on which the viewer could write this state. */
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
  | ({ kind: 'totalCount'; key: string } & CountOptions)

export type EdgeSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'node'; key: string; types: TypeSelection[] }
  | { kind: 'cursor'; key: string }

export type PageInfoSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'hasNextPage' | 'hasPreviousPage' | 'startCursor' | 'endCursor'; key: string }

// ---------------------------------------------------------------- filters, order, pages

/** Over an abstract, `field` is the first member's: a store uses each member's field of that name. */
export type Where =
  // `guarded`: the first part is READ of the field that the second part names, in the filter of a subscription
  | { kind: 'and' | 'or'; of: Where[]; guarded?: true }
  | { kind: 'not'; of: Where }
  | { kind: 'constant'; is: boolean }
  | { kind: 'compare'; target: ComparedField; op: CompareOp; parameter: ComparedValue }
  | { kind: 'viewer' } // the row is the account of the viewer
  // over an abstract: the row is of this type, and matches `where`, which is about the fields of this type
  | { kind: 'type'; of: Resource; where?: Where }
  // no delete in the background takes the row along, by itself or by one of the references above it
  | { kind: 'live'; above: readonly ReferenceField[] }
  | { kind: 'null'; target: ComparedField | ReferenceField | InverseField; is: boolean }
  | { kind: 'through'; field: ReferenceField | InverseField; where: Where }
  | { kind: 'some'; field: ToManyField | LinksField; where: Where | null }
  | { kind: 'none'; field: ToManyField | LinksField; where: Where | null }
  // each word of the parameter occurs in one of these fields, as far as the row's type has them; never inside a `not`
  | { kind: 'search'; parameter: Parameter; fields: SearchedField[] }

/** A searched field, with the rows on which the viewer may read it. */
export interface SearchedField {
  field: StoredField
  guard?: Guard
}

/** Filters of clients have parameters; access rules have constants, and claims of the viewer. */
export type ComparedValue = Parameter | ConstantValue | ClaimValue

/** A canonical value of an access rule, where the filter of a client has a parameter. */
export interface ConstantValue {
  constant: unknown
}

/** A claim of the viewer in the place of a value. `isList`: as a list of values. */
export interface ClaimValue {
  claim: string
  type: StoredType
  isList: boolean
}

/** A stored field, or a field inside its value type: `inside` is the path to it. */
export interface ComparedField {
  kind: 'target'
  field: StoredField
  inside: ValueField[]
  /** For a scalar inside a JSON field: the path to it from there. `presence`: a null there counts as a value. */
  json?: { path: Parameter | ConstantValue; presence?: true }
}

/** One key of the order; NULLs are last in both directions. */
export type OrderKey =
  | { kind: 'field'; field: StoredField; direction: Direction; guard?: Guard } // where the viewer may not read it, it sorts as null
  | { kind: 'type'; direction: Direction } // over an abstract: the name of the row's type
  | ComputedKey
export type Direction = 'ASC' | 'DESC'

/** A key that is no column of the row: a field of the row that `path` leads to, or the number of rows in a list of the row or of
 *  the row that `path` leads to. Where there is no such row, or the viewer may not read it, the key is null. */
export type ComputedKey =
  | { kind: 'referred'; path: OrderStep[]; field: StoredField; direction: Direction; guard?: Guard }
  // `rows`: READ of the counted rows
  | {
      kind: 'count'
      path: OrderStep[]
      field: ToManyField | LinksField
      direction: Direction
      guard?: Guard
      rows?: Guard
    }

/** A step to another row. `guard`: READ of the field; `rows`: READ of the row that it leads to. */
export interface OrderStep {
  field: ReferenceField | InverseField
  guard?: Guard
  rows?: Guard
}

export type PageBounds = OffsetBounds | { kind: 'keyset'; first: Parameter; after: (Parameter | null)[] | null } // one for each key of the order; null: the key was NULL

export interface OffsetBounds {
  kind: 'offset'
  limit: Parameter
  offset: Parameter
}

// ---------------------------------------------------------------- history

/** A page of the changes of one row, the newest first, from the change log. */
export interface HistoryRead {
  of: Resource
  first: Parameter
  /** Only versions below this one. */
  below: Parameter
  /** The fields whose changes an entry may show. */
  fields: ChangedField[]
  selections: HistorySelection[]
  /** READ of the row, on its images before and after a change; put in by `authorize`. */
  guard?: Guard
  /** READ of the row as it is now, where nothing has checked it yet: the row of a write. Put in by `authorize`. */
  now?: Guard
  /** AUDIT of the row; put in by `authorize`. Missing: the viewer never sees who made a change. */
  audit?: Guard
}

/** A field of an entry: its value before and after the change is that of the selection. A list of links has the ids of the rows
 *  that the viewer may read; `targets` as for `id`. */
export type ChangedField =
  | { kind: 'field'; name: string; selection: Selection & { kind: 'field' | 'value' | 'id' } }
  | { kind: 'links'; name: string; field: LinksField; guard?: Guard; targets?: TypeSelection[] }

/** Puts the values of an earlier version back. What the viewer can't read of that version, or of the row as it is, stays. */
export interface Reversion {
  version: Parameter
  /** What may be put back. One array for each type and class of viewers: the store caches the compiled read by it. */
  fields: readonly ChangedField[]
  /** READ of the row, on its image in that version; put in by `authorize`. */
  guard?: Guard
}

export type HistorySelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'edges'; key: string; selections: HistoryEdgeSelection[] }
  | { kind: 'pageInfo'; key: string; selections: PageInfoSelection[] }

export type HistoryEdgeSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'node'; key: string; selections: EntrySelection[] }
  | { kind: 'cursor'; key: string }

/** A member of an entry of the change log. */
export type EntrySelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'kind' | 'version' | 'time' | 'by' | 'via'; key: string }
  | { kind: 'changed'; key: string; selections: FieldChangeSelection[] }

export type FieldChangeSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'field' | 'before' | 'after'; key: string }

// ---------------------------------------------------------------- aggregates

/** Groups of rows: rows whose keys have equal values are one group, and so are those where a key is null. */
export interface GroupRead {
  kind: 'groups'
  of: Resource | Abstract
  within: PageRead['within']
  where: Where | null
  /** Null: all rows are one group, which is there even without rows. The result is its object, not a list. */
  by: GroupKey[] | null
  /** Of the parts of DateTimes; null: there is no such key, and the request names no zone. */
  timeZone: Parameter | null
  /** All must hold. */
  having: GroupCondition[]
  /** Always total: the keys follow what the request names. */
  order: GroupOrder[]
  /** Null for the one group of all rows. */
  page: OffsetBounds | null
  selections: GroupSelection[]
  /** Whether the result has the number of groups beside the list. */
  total?: true
}

export interface GroupKey {
  target: GroupedField
  /** Null: the value itself. */
  part: TimePart | null
}

/** A field of the row, or of a row that it refers to. */
export interface GroupedField {
  through: OrderStep[]
  field: StoredField
  /** READ of the field on the row that has it: elsewhere it counts as null. */
  guard?: Guard
}

/** Distinct references are distinct ids: `through` the reference. */
export type Measure = { kind: 'count' } | { kind: FieldMeasure; target: GroupedField }

export type GroupCondition =
  | { kind: 'compare'; measure: Measure; op: MeasureOperator; parameter: Parameter }
  | { kind: 'null'; measure: Measure; is: boolean }

/** NULLs are last in both directions. */
export type GroupOrder =
  | { kind: 'key'; of: number; direction: Direction } // an index of `by`
  | { kind: 'measure'; measure: Measure; direction: Direction }

/** A member of the object of a group. */
export type GroupSelection =
  | { kind: 'constant'; key: string; value: string }
  | { kind: 'key'; key: string; of: number } // an index of `by`
  | { kind: 'measure'; key: string; measure: Measure }
  | { kind: 'object'; key: string; selections: GroupSelection[] }

// ---------------------------------------------------------------- writing

export interface WritePlan {
  kind: 'write'
  /** `replace` creates a row that does not exist. `upsert` creates the row, or makes the changes of `update` if a row has the key. Of
   *  types with `@softDelete`: `restore` takes a delete back, `purge` deletes a row for good, a deleted one too. */
  action: 'create' | 'replace' | 'upsert' | 'update' | 'delete' | 'restore' | 'purge'
  of: Resource
  /** For a create in a transaction: an id made in advance, so that other writes can refer to the row. */
  id: Parameter | null
  /** Finds the row that is replaced, updated or deleted. `set` of a replace and an upsert has its fields too. */
  key?: KeyPart[]
  set: SetMember[]
  /** For an upsert: what is set of a row that is there; empty: it stays as it is. May share parameters with `set`. */
  update?: SetMember[]
  ifVersion: Parameter | null
  /** Further conditions on the current row (RFC 9110, 13.1). */
  preconditions?: Preconditions
  /** What is selected of the written row; empty for a delete. */
  answer: Selection[]
  /** The password of an account. It is no field: `authorize` takes it out of `set`. */
  password?: Parameter
  /** The current password of an account, which confirms that its owner makes the change. The engine replaces the value by a
   *  `Confirmation`. Like the password, it is no field. */
  currentPassword?: Parameter
  /** Whether the account is locked from then on. Like the password, it is no field; only administrators write it. */
  locked?: Parameter
  /** The identity at an external issuer that a new account belongs to. Only the server itself writes it. */
  identity?: NewIdentity
  /** What proves the address of an account. Only the server itself writes it. */
  proof?: AccountProof
  /** For a create of an account whose owner signs up. Only the server itself writes it. */
  signUp?: SignUp | 'rehearsal'
  /** For an update: what it sets is a version of the row, and `set` is empty. */
  revert?: Reversion
  /** An import sets what had to wait for other rows: fields that can't change otherwise may change, and the update time stays. */
  isImport?: true
  /** Put in by `authorize`; absent: no rules apply. */
  checks?: WriteChecks
  /** The transitions of the type's state fields, put in by `authorize`; absent: any state may be written. */
  states?: StateTransitions[]
  /** Later requests use the same plan (`PlannedCreates`), so what is derived from it is kept too. It sets fields only. */
  isKept?: true
}

/** What confirms that the owner of an account changes its password or login, and not somebody with a stolen token. */
export type Confirmation =
  /** The viewer has just signed in. */
  | { kind: 'recent'; change?: LoginChange | null }
  /** The viewer sent the current password; its hash must still be this one when the change is written. */
  | { kind: 'password'; hash: string; change?: LoginChange | null }
  | { kind: 'wrongPassword' }

/** What a change of the viewer's own login needs, if the new address must be proven first; else it is null, and the login changes
 *  at once. Times are milliseconds since 1970. */
export interface LoginChange {
  id: string
  /** The HMAC of the code that proves the new address, and its key. */
  key: string
  hmac: string
  /** The hashes of the tokens of the links: that which proves the new address, and that which the former one gets to undo it. */
  link: string
  undo: string
  /** The encrypted mails to the new and to the former address. */
  mails: { proof: SealedMail; notice: SealedMail }
  created: number
  expires: number
  undoableUntil: number
}

export interface SealedMail {
  id: string
  body: string
}

/** An account at an external issuer: its `iss`, and the exact value of the claim that identifies it there. */
export interface NewIdentity {
  issuer: string
  subject: string
  /** The address that the issuer has verified. */
  address: string | null
  /** Its name in the settings; absent: the identity came with a token of an external issuer. */
  provider?: string
}

/** What proves that somebody reads the mails of the address of an account. If nobody had proven the address before, the account
 *  loses what was attached to it: password, sessions, identities, pending changes. */
export type AccountProof =
  | CodeProof
  | ChangeProof
  | InvitationProof
  /** The issuer has verified the address of the identity, which the account gets. */
  | { kind: 'identity'; identity: NewIdentity & { address: string } }
  /** An administrator locks or unlocks the account. It proves nothing, but is a part of a write in the same way. */
  | AccountLock

/** Locks an account, or unlocks it. */
export interface AccountLock {
  kind: 'lock'
  locked: boolean
}

/** The new address of a change of the login is proven, or its former address undoes it. */
export interface ChangeProof {
  kind: 'change' | 'undo'
  /** The id of the change. */
  change: string
  /** The login from then on. */
  address: string
  password: string | null
  isOwner: boolean
  now: number
}

/** The owner of an account without a password accepts an invitation. */
export interface InvitationProof {
  kind: 'invitation'
  /** The id of the invitation, which is used up. */
  invitation: string
  /** The login to which it was mailed. */
  address: string
  password: string
  isOwner: false
  now: number
}

export interface CodeProof {
  kind: 'code'
  /** The id of the code, which is used up. */
  code: string
  /** The id of the use: that of the session, or another one. */
  use: string
  /** The hash of the new password; null: there is none. */
  password: string | null
  /** The session that begins; null: none. */
  session: NewSession | null
  /** Whoever proves the address is signed in to the account: it keeps what was attached to it. */
  isOwner: boolean
  /** Milliseconds since 1970. */
  now: number
}

/** The create of an account whose address is proven by a code or an invitation. In its place, `rehearsal` judges the row as if its login were free,
 *  and nothing of it stays. */
export interface SignUp {
  /** What is used up: a code, or an invitation. */
  by: { kind: 'code' | 'invitation'; id: string }
  /** The login to which it was mailed. */
  address: string
  /** The hash of the password; null: the account has none. */
  password: string | null
  /** Milliseconds since 1970. */
  now: number
}

/** A session that a sign-in begins. Times are milliseconds since 1970. */
export interface NewSession {
  id: string
  account: string
  generation: number
  created: number
  used: number
  expires: number
  /** The name of the client that signed in; null if it sent none. */
  client: string | null
  how: SessionMethod
  /** The network of the client. */
  address: string
}

/** How a session began: the enum `TokenMethod` of the built-in SDL. */
export type SessionMethod = 'PASSWORD' | 'CODE' | 'PROVIDER'

/** Several writes, all of them or none. They share one list of selections. */
export interface WriteBatch {
  kind: 'batch'
  writes: WritePlan[]
  /** The place of each write in the request, in errors: lines of a body. Absent: their numbers from 0. */
  places?: readonly string[]
}

/** The same update or delete of every row that matches: all of them or none. */
export interface BulkWrite {
  kind: 'bulk'
  of: Resource
  /** A list of the ids of the rows. Its page has one row more than `limits.bulk`, unless the request sets a limit. */
  match: PageRead
  /** Is made to each of these rows; its `id` is null. */
  write: WritePlan & { action: 'update' | 'delete' }
  /** Takes the ids that the engine has found. It belongs to no request. */
  ids: Parameter
}

/** Conditions on the row before a write, evaluated in the transaction of the write. All must hold. */
export interface Preconditions {
  presence?: 'there' | 'none'
  /** Lists of versions: the row has one of `versions`, and none of `otherVersions`. */
  versions?: Parameter
  otherVersions?: Parameter
  /** The row was not updated after this time, by this field; to the second, like times in HTTP. */
  unmodified?: { by: StoredField; since: Parameter }
}

/** The rules that a write must pass, for this class of viewers. An absent guard passes; `{kind: 'constant', is: false}` never
 *  does. */
export interface WriteChecks {
  /** READ of the current row: without it the row does not exist for this viewer. */
  read?: Guard
  /** UPDATE or DELETE, on the row before the write. */
  before?: Guard
  /** CREATE, on the new row; its lists are read as they were before the write. */
  create?: Guard
  /** UPDATE, on the row after the write. */
  after?: Guard
  /** Fields with rules of their own. Each that the write sets or changes must pass: `create` on the new row, `update` on the row
   *  before and after the write. */
  fields: { field: SetField['field']; create?: Guard; update?: Guard }[]
  /** The accounts whose password the viewer may change. UPDATE of an account does not include it: it would allow to take the
   *  account over. */
  password?: Guard
  /** Fields that this viewer can't read on every row. A replace that leaves one out keeps its value where it can't be read. */
  hidden: { field: SetField['field']; guard: Guard }[]
  /** READ of each type that the write may refer or link to: viewers can't refer to rows that they can't read. */
  targets: Map<Resource, Guard>
  /** Many-to-many lists that belong to the other type (see `write-checks.ts`). Each row there whose list the write changes
   *  must pass, so that no viewer can add themselves from the other side. */
  holders: { field: LinksField; guard: Guard }[]
  /** References that can block a delete and that not everyone may read: the error names only those that the viewer can read. */
  referrers: { field: ReferenceField; guard: Guard }[]
  /** Types whose label not everyone may read on every row: what messages call their rows. A null field: by their ids. */
  labels: { of: Resource; field: StoredField | null; guard: Guard }[]
}

/** The transitions of a state field that this class of viewers can make (docs/reference/schema.md#state-machines). */
export interface StateTransitions {
  field: StateField
  rules: TransitionRule[]
}

/** One `@next`. */
export interface TransitionRule {
  from: string
  to: readonly string[]
  /** The rows, before the write, on which this rule itself allows the transition. Absent: viewers who may update the row and the
   *  field can make it. */
  who?: Guard
  /** Each must hold on the row after the write. `words` describe it to the viewer; null where they would reveal a field that the
   *  viewer can never read. */
  requirements: { guard: Guard; words: string | null }[]
}

export interface SetField {
  field: StoredField | ReferenceField | LinksField
  parameter: Parameter
  /** For a many-to-many list: adds the links to the list, or removes them (`connect` and `disconnect` of its member `_tags`; there
   *  only what is in the list can be removed). For a number: is added to the one that the row holds. Absent: replaces what the
   *  row has. */
  change?: 'add' | 'remove' | 'connect' | 'disconnect' | 'increment'
}

/** Rows of an owned list, created along with the row that they belong to. Each is created as if by a create of its own. */
export interface SetRows {
  field: ToManyField
  rows: SetMember[][]
  /** Put in by `authorize`, like that of the write. */
  checks?: WriteChecks
}

/** Writes of rows of a list, along with the row that has the list. Each is made as if by a write of its own, in the order of
 *  `listWrites`. Links of a many-to-many list are fields that are set. */
export interface SetList {
  field: ListField
  /** For the other side of a reference: rows that no longer refer to this row, and rows that now do. */
  disconnect: Parameter | null
  connect: Parameter | null
  delete: Parameter | null
  update: { id: Parameter; set: SetMember[] }[]
  create: SetMember[][]
  /** Put in by `authorize`; absent: no rules apply. */
  checks?: ListChecks
  /** The transitions of the rows that are updated, put in by `authorize`, like those of the write. */
  states?: StateTransitions[]
}

/** The rules of the rows of a list, by what is done with them. */
export interface ListChecks {
  create: WriteChecks
  update: WriteChecks
  delete: WriteChecks
  /** READ and UPDATE of the list itself, on the row that has it; absent: all. */
  list?: Guard
}

export type SetMember = SetField | SetRows | SetList

/** Every field that is set, those of nested rows included. */
export function* setFields(set: readonly SetMember[]): Iterable<SetField> {
  for (const member of set) {
    if (isSetField(member)) yield member
    else for (const row of nestedSets(member)) yield* setFields(row)
  }
}

/** The parameters of a write in the order of its input. */
export function* setParameters(set: readonly SetMember[]): Iterable<Parameter> {
  for (const member of set) {
    if (isSetField(member)) yield member.parameter
    if (isSetList(member)) {
      for (const ids of [member.disconnect, member.delete, member.connect]) if (ids !== null) yield ids
      for (const { id } of member.update) yield id
    }
    if (!isSetField(member)) for (const row of nestedSets(member)) yield* setParameters(row)
  }
}

/** What is set of each row that is created or updated along. */
export function nestedSets(member: SetRows | SetList): SetMember[][] {
  return isSetList(member) ? [...member.update.map(({ set }) => set), ...member.create] : member.rows
}

export function isSetField(member: SetMember): member is SetField {
  return 'parameter' in member
}

export function isSetList(member: SetMember): member is SetList {
  return 'disconnect' in member
}

export function isRows(member: SetMember): member is SetRows {
  return 'rows' in member
}

// ---------------------------------------------------------------- events

export type ChangeKind = 'created' | 'updated' | 'deleted'

/** The events of a type's rows. The row's own fields are as of the change; everything beyond them is as of now. */
export interface SubscriptionPlan {
  kind: 'subscription'
  of: Resource
  /** To this subscriber, a row that does not match is like a row that it may not read. */
  where: Where | null
  selections: Selection[]
  /** READ of the row; put in by `authorize`. */
  guard?: Guard
  /** The fields with rules of their own, put in by `authorize`: a change of unreadable fields alone gives no event. */
  guarded?: { field: Field; guard: Guard }[]
  /** AUDIT of the row, put in by `authorize`; missing: the viewer never sees who made a change. */
  audit?: Guard
}

/** Whether a plan reads or writes a type of the server itself. Rows of a schema file lead to files only, which have the rules of
 *  these rows: of files, it is the list of all. */
export function isOfServer(plan: Plan | SubscriptionPlan | CustomCall): boolean {
  if (plan.kind === 'batch' || plan.kind === 'call') return false
  if (plan.of.kind !== 'resource' || plan.of.system === undefined) return false
  return !isFile(plan.of) || ((plan.kind === 'many' || plan.kind === 'groups') && plan.within === null)
}

// ---------------------------------------------------------------- custom code

/** A call of a custom operation. */
export interface CustomCall {
  kind: 'call'
  operation: CustomOperation
  args: BoundArgument[]
  result: CustomResult
}

// ---------------------------------------------------------------- results

/** A failure of custom code, at a place of the result that has a failure marker (`markers.ts`). */
export interface CodeFailure {
  error: unknown
  /** The computed field, or the custom operation. */
  field: ComputedField | CustomOperation
  /** Whether the whole field failed; otherwise a nullable place in its value did. */
  isWhole: boolean
  /** The path inside the value, from the marker on. */
  inside: readonly (string | number)[]
}

/** The result of a custom operation. */
export interface CustomCallResult {
  text: string
  /** The request was made before with the same idempotency key; this is the result of then. */
  replayed?: true
  failures?: readonly CodeFailure[]
}

export type PlanResult =
  // null: no such row; `id`: of a row that was read by a key
  | { kind: 'one'; text: string | null; version: number; id?: string; failures?: readonly CodeFailure[] }
  // rows or groups; `more`: some follow, if the read asks for it; `total`: of a list that asks for it
  | { kind: 'many'; text: string; more: boolean; total: number | null; failures?: readonly CodeFailure[] }
  | WrittenRow
  // `isPending`: the row is hidden, and what refers to it goes in the background
  | { kind: 'deleted'; found: boolean; id: string; isPending?: true; replayed?: true }
  | { kind: 'batch'; answers: PlanResult[]; replayed?: true }
  // the rows of a bulk write, in the order of its request; `isPending`: some are hidden, and what refers to them goes in the background
  | { kind: 'bulk'; ids: string[]; isPending?: true; replayed?: true }

interface WrittenRow {
  kind: 'written'
  text: string
  id: string
  version: number
  created: boolean
  failures?: readonly CodeFailure[]
  /** The request was made before with the same idempotency key; this is the result of then. */
  replayed?: true
}
