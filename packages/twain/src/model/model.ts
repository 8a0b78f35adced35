// The model: the schema file with every name resolved and every reading rule (docs/reference/schema.md) applied. It is plain
// data and independent of the database. The graph has cycles (a field refers to its owner), so never JSON.stringify it.

import type { ScalarName } from './values/scalars.ts'

export interface Model {
  service: { name: string; description: string | null }
  /** The type whose rows sign in, if the file has one. */
  account: Account | null
  /** The type `File`, if a field of the file has this type. It is not part of `resources` and `system`. */
  file: FileType | null
  /** The types of the server itself. They are not part of `resources` and the other lists. */
  system: SystemTypes
  /** In the order of the file, without views. */
  resources: Resource[]
  /** Resources whose rows a SELECT of the schema file returns. They have no tables, no versions and no events. */
  views: Resource[]
  /** Interfaces and unions that have at least one resource as a member: read-only collections, and targets of references. */
  abstracts: Abstract[]
  values: ValueType[]
  enums: EnumType[]
  scalars: CustomScalar[]
  /** The `input` types of the file that custom code takes. */
  inputs: ValueType[]
  /** The fields of `Query` and `Mutation` that custom code resolves, in the order of the file. */
  operations: CustomOperation[]
  /** Every type of the file by its name. */
  types: ReadonlyMap<string, ModelType>
  /** The claims of tokens that rules and defaults name, each use once. */
  claims: readonly NamedClaim[]
}

/** A claim of the tokens of external issuers, as a rule or a default uses it: `{claim: "org_id"}`. */
export interface NamedClaim {
  /** Its name in the token, or its path: `realm.org`. */
  name: string
  /** The type of the values that it is compared with, or of the field that it fills. */
  type: StoredType
  /** What it is compared with: `Post.org`. */
  what: string
  place: SourceLocation
}

export type ModelType = Resource | Abstract | ValueType | EnumType | CustomScalar

/** A type with rows. */
export interface Resource {
  kind: 'resource'
  name: string
  description: string | null
  /** Collection path without slashes, kebab-case plural: `loan-requests`. */
  path: string
  /** Previous paths: from `@resource(was:)` and from a previous name. Each redirects to the present path. */
  previousPaths: readonly string[]
  /** The previous name of the type (`@was`). */
  alias?: string
  /** The path in camelCase, the name of the GraphQL list: `loanRequests`. */
  list: string
  /** The name of the type with a small first letter, the name of the GraphQL item: `loanRequest`. */
  single: string
  /** In the order of the file, including `id`. */
  fields: ReadonlyMap<string, Field>
  /** Fields that custom code computes. They are separate from `fields`, since no row stores them. */
  computed: ReadonlyMap<string, ComputedField>
  indexes: Index[]
  /** The `@allow` rules of the type, in the order of the file, without AUDIT and ACT_AS. */
  rules: Rule[]
  /** The rules that allow AUDIT; empty: only the role admin may. */
  auditRules: Rule[]
  /** Of the account type: the rules that allow ACT_AS; empty: nobody may. */
  actRules: Rule[]
  /** The interfaces and unions that it is a member of. */
  memberOf: Abstract[]
  cache?: CacheHint
  /** Set for a type of the server itself. */
  system?: SystemType
  /** Set for a view, which no request writes. */
  view?: View
  /** Set if a DELETE hides a row for a time. */
  softDelete?: KeepTime
  /** Set if the changes of its rows are kept longer than the change log. */
  history?: KeepTime
  place: SourceLocation
}

/** `@softDelete`: how long a deleted row can be restored. `@history`: how long the changes of a row are kept. */
interface KeepTime {
  /** As it stands in the file: `30d`. */
  keep: string
  keepSeconds: number
  place: SourceLocation
}

/** `@view`: the rows of a type are those of a SELECT. */
export interface View {
  /** Null: there is none for this database. */
  sqlite: string | null
  postgres: string | null
  /** The fields that identify a row. */
  key: StoredField[]
  /** Whether the SELECT returns the id. If not, the id is the key as a text. */
  hasOwnId: boolean
  place: SourceLocation
}

/** The types that a built-in SDL declares (`system/system-sdl.ts`). */
export interface SystemTypes {
  resources: Resource[]
  values: ValueType[]
  enums: EnumType[]
}

/** What a type of the server itself has beside its declaration. */
export interface SystemType {
  /** Names its rows in errors: `Background jobs`. */
  plural: string
  /** The order of a list for which a request names none. */
  order: readonly { field: string; direction: 'ASC' | 'DESC' }[]
  /** The number of a row in its system table, for an `order` by `rowNumber`. It is no field. */
  rowNumber?: StoredField
  /** Values of fields that stand in examples. */
  examples?: Readonly<Record<string, Json>>
  /** Whether a POST to a list of these rows sends one again, as the mutation `redeliver` does. */
  isRedelivered?: true
  /** The default size of a page, if it is another than that of all types. */
  pageSize?: number
  /** Fields that its GraphQL list also takes as arguments, which compare for equality. */
  listArguments: readonly string[]
  /** The methods of its paths that code of its own answers, such as signing in. */
  ownRequests?: { collection?: readonly string[]; item?: readonly string[] }
  /** Texts that only the response of its creation has. Everywhere else they are null. Only GraphQL names them in its type. */
  issued?: readonly { name: string; description: string }[]
}

/** `@cacheControl`: how many seconds a response that contains this may be cached, and whether shared caches may store it. */
export interface CacheHint {
  maxAge: number | null
  scope: 'PUBLIC' | 'PRIVATE' | null
}

/** An interface or a union of resources. */
export interface Abstract {
  kind: 'abstract'
  form: 'interface' | 'union'
  name: string
  description: string | null
  path: string
  previousPaths: readonly string[]
  alias?: string
  list: string
  single: string
  members: Resource[]
  /** The fields that all members have, with the same name, kind and type. Filters, order and selections on the interface
   *  or union use these; each entry is the field of the first member. An interface has the fields that it declares. A
   *  union has the stored and reference fields that all members share (`id` at least). */
  fields: ReadonlyMap<string, Field>
  /** Interfaces only: the declared fields that every member computes; each entry is the field of the first member. */
  computed: ReadonlyMap<string, ComputedField>
  /** Interfaces that this interface implements. */
  memberOf: Abstract[]
  cache?: CacheHint
  place: SourceLocation
}

/** A field of a row, stored or computed. */
export type AnyField = Field | ComputedField

export type Field = StoredField | ReferenceField | InverseField | ToManyField | LinksField

interface FieldBase {
  name: string
  owner: Resource
  description: string | null
  /** The reason of `@deprecated`, or null. */
  deprecated: string | null
  /** The previous name (`@was`), under which requests still find it. */
  alias?: string
  /** Non-null in the file. For lists: the list itself. */
  required: boolean
  /** The `@allow` rules of the field. They narrow the actions that they name; the rules of the type govern the others. */
  rules: Rule[]
  cache?: CacheHint
  /** `@cost(weight)`: replaces the default cost of a scalar or an object. */
  cost?: number
  place: SourceLocation
}

interface Writable {
  /** `@default(value)`: plain JSON (an enum value as its name). */
  default?: Json
  /** `@default(value: {claim: "org_id"})`: the name of the claim whose value is the default. */
  defaultClaim?: string
  /** `@immutable`: writable on create only. */
  immutable: boolean
}

/** A column: a scalar, an enum, a value type, or a list of these. */
export interface StoredField extends FieldBase, Writable {
  kind: 'stored'
  type: StoredType
  /** `@auto(set:)`: set by the server, never writable. `SERVER`: a field of a type of the server itself. `VERIFY_TIME`: when a
   *  mail proved the address of an account. `LOCK_TIME`: when an administrator locked it. */
  auto: 'CREATE_TIME' | 'UPDATE_TIME' | AccountTime | 'SERVER' | null
  /** Only a request that names it gets it: a default representation leaves it out. */
  isOnRequest?: true
  /** Only the response of the write that set it shows it. A read has null, and a default representation leaves it out. */
  isShownOnce?: true
  /** Its value is made for the response: no filter and no order has it. */
  isOpaque?: true
  /** Whether the row is the session of the viewer. */
  isOfViewer?: true
  /** The login of the account type: it must not be empty or very long. */
  isLogin?: true
  /** Set if the values of its enum have `@next`: the field is a state machine. Its default is the initial state. */
  stateMachine?: StateMachine
  /** `@search`: word search looks in this field. */
  search?: true
  /** `@label`: what a row is called where it is shown to people. */
  label?: true
  /** `@collation(name: BINARY)`: texts are ordered by code point. */
  collation?: 'BINARY'
  /** The most bytes of a text that is part of an index (`read/read-indexes.ts`); the same on both databases. */
  maxIndexedBytes?: number
  constraint: Constraint | null
}

/** Times of an account that the server sets when something happens to it; null before. */
export type AccountTime = 'VERIFY_TIME' | 'LOCK_TIME'

/** A to-one reference; the column is on this side. */
export interface ReferenceField extends FieldBase, Writable {
  kind: 'reference'
  to: Resource | Abstract
  /** `@unique` on this field alone: one-to-one. */
  unique: boolean
  /** `@auto(set: VIEWER)`: set by the server to the viewer's account on create, never writable. */
  auto: 'VIEWER' | null
  /** `@default(value: VIEWER)`. */
  defaultsToViewer: boolean
  onDelete: 'RESTRICT' | 'CASCADE' | 'SET_NULL'
}

/** The other side of a one-to-one reference. It has no column and is always nullable. */
export interface InverseField extends FieldBase {
  kind: 'inverse'
  to: Resource
  via: ReferenceField
}

/** The other side of a reference: many rows of `to` point here with `via` (whose target is the owner, or an interface or
 *  union of it). */
export interface ToManyField extends FieldBase {
  kind: 'many'
  to: Resource
  via: ReferenceField
  /** `@default(value: [{user: VIEWER, role: OWNER}])`: rows of `to` that are created together with the row, by field
   *  name. */
  defaultChildren: DefaultChild[]
}

export type DefaultChild = ReadonlyMap<StoredField | ReferenceField, { viewer: true } | { value: Json }>

/** One side of a many-to-many relation. */
export interface LinksField extends FieldBase {
  kind: 'links'
  to: Resource | Abstract
  link: Link
  side: 'left' | 'right'
}

/** The relation itself, shared by both sides; `right` is null if only one type has a field for it. */
export interface Link {
  left: LinksField
  right: LinksField | null
}

/** `@computed`: custom code resolves it, in one call for all rows of a response. */
export interface ComputedField extends FieldBase {
  kind: 'computed'
  /** The fields of each row that the code gets, beside the id. */
  from: (StoredField | ReferenceField)[]
  args: Argument[]
  type: CustomResultType
}

/** A field of `Query`, `Mutation` or `Subscription` that custom code resolves. */
export interface CustomOperation {
  root: 'Query' | 'Mutation' | 'Subscription'
  name: string
  description: string | null
  deprecated: string | null
  /** Non-null in the file. */
  required: boolean
  args: Argument[]
  type: CustomResultType
  /** `@cost(weight)`. */
  cost?: number
  /** For fields of `Query`. */
  cache?: CacheHint
  /** The `@allow` rules, in the order of the file. Empty: only the role admin may call it, or everyone if there is no
   *  account type. */
  rules: OperationRule[]
  /** The REST path, without slashes. */
  path: string
  place: SourceLocation
}

/** The result type of custom code: a type that could be stored, or rows, for which the code returns ids. */
export type CustomResultType =
  | { kind: 'stored'; type: StoredType }
  | { kind: 'row'; of: Resource }
  | { kind: 'rows'; of: Resource; itemRequired: boolean }

/** An argument of custom code. A value type in it is one of the file's `input` types. */
export interface Argument {
  name: string
  description: string | null
  deprecated: string | null
  /** Non-null in the file. */
  required: boolean
  type: StoredType
  constraint: Constraint | null
  default?: Json
}

export type StoredType =
  | { kind: 'scalar'; name: ScalarName; isUpload?: true } // of the type `Upload`, in arguments and inputs: custom code gets the id of the file
  | { kind: 'custom'; scalar: CustomScalar }
  | { kind: 'enum'; enum: EnumType }
  | { kind: 'value'; value: ValueType }
  | { kind: 'list'; of: StoredType; itemRequired: boolean }

/** A type without `id`: stored inside its owner as JSON. */
export interface ValueType {
  kind: 'value'
  name: string
  description: string | null
  fields: ReadonlyMap<string, ValueField>
  /** An `input` of the file: it is sent, never stored. Omitted fields stay absent. */
  isInput?: true
  /** `@oneOf`: exactly one of the fields must be present. */
  isOneOf?: true
  alias?: string
  cache?: CacheHint
  place: SourceLocation
}

export interface ValueField {
  name: string
  description: string | null
  deprecated: string | null
  alias?: string
  required: boolean
  type: StoredType
  constraint: Constraint | null
  /** `@collation(name: BINARY)`: filters compare texts by code point. */
  collation?: 'BINARY'
  cache?: CacheHint
  cost?: number
  default?: Json
  place: SourceLocation
}

export interface EnumType {
  kind: 'enum'
  name: string
  description: string | null
  values: EnumValue[]
  alias?: string
  place: SourceLocation
}

export interface EnumValue {
  name: string
  description: string | null
  deprecated: string | null
  alias?: string
}

/** A `scalar` that the file declares: any JSON, checked by `@constraint`. */
export interface CustomScalar {
  kind: 'custom'
  name: string
  description: string | null
  specifiedBy: string | null
  alias?: string
  place: SourceLocation
}

/** A state machine, as one field of one resource has it. */
export interface StateMachine {
  start: string
  /** The `@next` rules of the enum, in the order of the file. */
  transitions: readonly Transition[]
}

/** One `@next` rule: all of its conditions must hold. */
export interface Transition {
  from: string
  to: readonly string[]
  /** If `who` and `role` are both null, viewers who may update the row may use the transition. */
  who: Who | null
  role: string | null
  /** A filter on the row as it would be after the write (docs/reference/graphql.md#filters), plain JSON. */
  where: Json | null
  place: SourceLocation
}

export interface Constraint {
  /** A number; for dates and times a canonical text. */
  min?: number | string
  max?: number | string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  format?: string
}

export interface Index {
  unique: boolean
  /** Stored and reference fields of the resource, in order. */
  fields: (StoredField | ReferenceField)[]
}

/** One `@allow` rule: all of its conditions must hold. */
export interface Rule {
  who: Who
  role: string | null
  /** Whether the viewer must be an account whose address is proven. */
  verified: boolean
  to: readonly Action[]
  /** A filter, checked when the file is loaded (docs/reference/graphql.md#filters, schema.md#rules): plain JSON, may
   *  contain `isViewer`, and `{claim: "…"}` in the place of a value. */
  where: Json | null
  /** Of a rule on a type: the fields that it grants, never `id`. Null: the whole row. */
  fields: readonly AnyField[] | null
  place: SourceLocation
}

/** One `@allow` rule of a custom operation: both conditions must hold. A call has no row, so there are no others. */
export interface OperationRule {
  who: { kind: 'anyone' | 'signedIn' }
  role: string | null
  verified: boolean
  place: SourceLocation
}

/** AUDIT: to read who made a change. ACT_AS: to act as the account. */
export type Action = 'READ' | 'CREATE' | 'UPDATE' | 'DELETE' | 'AUDIT' | 'ACT_AS'

export type Who =
  | { kind: 'anyone' | 'signedIn' | 'self' }
  /** Ends at the account type (the row at the end must be the viewer) or at another resource (its rules apply). At an
   *  interface or union the rules of the row's own type apply; one that has the account type as a member counts as the
   *  account type. */
  | { kind: 'path'; path: (ReferenceField | InverseField | ToManyField | LinksField)[]; text: string }

/** `@account`. */
export interface Account {
  resource: Resource
  login: StoredField
  roles: StoredField | null
  verification: Verification
  /** When somebody proved that they read the mails of the address; null: logins are no addresses. */
  verifiedAt: StoredField | null
  /** When an administrator locked it. */
  lockedAt: StoredField
}

/** Whether accounts can prove their address; REQUIRED: whoever signs up proves it before there is an account. */
export type Verification = 'REQUIRED' | 'OPTIONAL' | 'OFF'

/** The built-in type `File`. References point at its rows as at any others, but a row is created by an upload and never
 *  updated. */
export interface FileType {
  /** The public fields of a file: `id`, `name`, `mediaType`, `size`. */
  resource: Resource
  /** The storage key of the bytes. This field and the following ones are internal: no request can name them. */
  bytes: StoredField
  /** Whether no row has referred to it yet. */
  fresh: StoredField
  /** The account that uploaded it; null if the file has no account type. */
  uploader: ReferenceField | null
  holders: FileHolder[]
}

/** A field that refers to files, and the inverse from a file to the rows that refer to it. */
export interface FileHolder {
  field: ReferenceField | LinksField
  back: ToManyField | LinksField
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** 1-based, in a schema file. */
export interface SourceLocation {
  /** Its path, as it was given. */
  file: string
  line: number
  column: number
}
