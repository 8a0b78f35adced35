// What the SDL says, resolved: every name is a reference, every rule of reading (product.md, section 1) is applied.
// Plain data; nothing here knows a database. The graph has circles (a field knows its owner), so never JSON.stringify it.

export interface Model {
  service: { name: string; description: string | null }
  /** The type whose rows sign in, if the file has one. */
  account: Account | null
  /** The type `File`, where a field of the file is of it. It is none of the `resources`: the server itself has it. */
  file: FileType | null
  /** In the order of the file. */
  resources: Resource[]
  /** Interfaces and unions with at least one resource as a member: read-only collections, and targets of references. */
  abstracts: Abstract[]
  values: ValueType[]
  enums: EnumType[]
  scalars: CustomScalar[]
  /** The file's own `input` types, as far as its own code takes them. */
  inputs: ValueType[]
  /** The fields of `Query` and `Mutation` that own code answers, in the order of the file. */
  operations: CustomOperation[]
  /** Every type of the file by its name. */
  types: ReadonlyMap<string, ModelType>
}

export type ModelType = Resource | Abstract | ValueType | EnumType | CustomScalar

/** A type with rows. */
export interface Resource {
  kind: 'resource'
  name: string
  description: string | null
  /** Collection path without slashes, kebab-case plural: `loan-requests`. */
  path: string
  /** `@resource(was:)`, and the path that a former name gave: former paths, which lead to the present one. */
  formerPaths: readonly string[]
  /** `@was`: the name that the type had. */
  alias?: string
  /** The path in camelCase, the name of the GraphQL list: `loanRequests`. */
  list: string
  /** The type's name with a small first letter, the name of the GraphQL item: `loanRequest`. */
  single: string
  /** In the order of the file; `id` is among them. */
  fields: ReadonlyMap<string, Field>
  /** Fields that own code answers: beside those above, since no row holds them. */
  computed: ReadonlyMap<string, ComputedField>
  indexes: Index[]
  /** The `@allow` lines of the type, in the order of the file. */
  rules: Rule[]
  /** The abstracts it is a member of. */
  memberOf: Abstract[]
  cache?: CacheHint
  place: SourceLocation
}

/** `@cacheControl`: how long an answer with this in it may be kept, in seconds, and whether by everyone. */
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
  formerPaths: readonly string[]
  alias?: string
  list: string
  single: string
  members: Resource[]
  /** What can be asked of all members alike: each member has a field of this name, kind and type. Filters, order and
   *  selections on the abstract itself use these; the Field given is the first member's. For an interface, the fields
   *  that it declares; for a union, the stored and reference fields that all members share (`id` at least). */
  fields: ReadonlyMap<string, Field>
  /** Of an interface: what it declares and each member computes; the field given is the first member's. */
  computed: ReadonlyMap<string, ComputedField>
  /** Interfaces that this interface implements. */
  memberOf: Abstract[]
  cache?: CacheHint
  place: SourceLocation
}

/** What can be asked of a row, stored or computed. */
export type AnyField = Field | ComputedField

export type Field = StoredField | ReferenceField | InverseField | ToManyField | LinksField

interface FieldBase {
  name: string
  owner: Resource
  description: string | null
  /** The reason of `@deprecated`, or null. */
  deprecated: string | null
  /** `@was`: the name that it had, under which it is found too. */
  alias?: string
  /** Non-null in the file. For lists: the list itself. */
  required: boolean
  /** The `@allow` lines of the field: they narrow the actions that they name, the others follow the type. */
  rules: Rule[]
  cache?: CacheHint
  /** `@cost(weight)`: what it costs by itself, instead of what scalars and objects cost. */
  cost?: number
  place: SourceLocation
}

interface Writable {
  /** `@default(value)`: plain JSON (an enum value as its name). */
  default?: Json
  /** `@immutable`: writable on create only. */
  immutable: boolean
}

/** A column: a scalar, an enum, a value type, or a list of these. */
export interface StoredField extends FieldBase, Writable {
  kind: 'stored'
  type: StoredType
  /** `@auto(set:)`: set by the server, never writable. */
  auto: 'CREATE_TIME' | 'UPDATE_TIME' | null
  /** An account signs in with it: it is neither empty nor very long. */
  isLogin?: true
  /** The values of its enum carry `@next`: it goes from state to state. Its default is the state that it starts in. */
  stateMachine?: StateMachine
  /** `@search`: its words are part of the resource's word search. */
  search?: true
  constraint: Constraint | null
}

/** A to-one reference; it has the column. */
export interface ReferenceField extends FieldBase, Writable {
  kind: 'reference'
  to: Resource | Abstract
  /** `@unique` alone on the field: one-to-one. */
  unique: boolean
  /** `@auto(set: VIEWER)`: set by the server to the viewer's account on create, never writable. */
  auto: 'VIEWER' | null
  /** `@default(value: VIEWER)`. */
  defaultsToViewer: boolean
  onDelete: 'RESTRICT' | 'CASCADE' | 'SET_NULL'
}

/** The other side of a one-to-one reference; it has no column. Always optional. */
export interface InverseField extends FieldBase {
  kind: 'inverse'
  to: Resource
  via: ReferenceField
}

/** The other side of a reference: many rows of `to` point here with `via` (whose target is the owner, or an abstract of it). */
export interface ToManyField extends FieldBase {
  kind: 'many'
  to: Resource
  via: ReferenceField
  /** `@default(value: [{user: VIEWER, role: OWNER}])`: rows of `to` that are made along with the row, by field name. */
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

/** The relation itself, shared by both sides; `right` is null when only one type names it. */
export interface Link {
  left: LinksField
  right: LinksField | null
}

/** `@computed`: answered by own code, once for all rows of an answer. */
export interface ComputedField extends FieldBase {
  kind: 'computed'
  /** What the code is given of each row, beside its id. */
  from: (StoredField | ReferenceField)[]
  args: Argument[]
  type: CustomResultType
}

/** A field of `Query` or `Mutation` that own code answers. */
export interface CustomOperation {
  root: 'Query' | 'Mutation'
  name: string
  description: string | null
  deprecated: string | null
  /** Non-null in the file. */
  required: boolean
  args: Argument[]
  type: CustomResultType
  /** `@cost(weight)`. */
  cost?: number
  /** Of a field of `Query`. */
  cache?: CacheHint
  /** Where REST has it, without slashes. */
  path: string
  place: SourceLocation
}

/** What own code gives: something that could be stored, or rows, of which it names the ids. */
export type CustomResultType =
  | { kind: 'stored'; type: StoredType }
  | { kind: 'row'; of: Resource }
  | { kind: 'rows'; of: Resource; itemRequired: boolean }

/** An argument of own code. A value type in it is one of the file's `input` types. */
export interface Argument {
  name: string
  description: string | null
  deprecated: string | null
  /** Non-null in the file. */
  required: boolean
  type: StoredType
  default?: Json
}

export type StoredType =
  | { kind: 'scalar'; name: ScalarName; isUpload?: true } // of a file that may come along: an `ID` that GraphQL calls `Upload`
  | { kind: 'custom'; scalar: CustomScalar }
  | { kind: 'enum'; enum: EnumType }
  | { kind: 'value'; value: ValueType }
  | { kind: 'list'; of: StoredType; itemRequired: boolean }

export type ScalarName =
  | 'Int'
  | 'Float'
  | 'String'
  | 'Boolean'
  | 'ID'
  | 'DateTime'
  | 'Date'
  | 'JSON'
  | 'Decimal'
  | 'BigInt'

/** A type without `id`: stored inside its owner as JSON. */
export interface ValueType {
  kind: 'value'
  name: string
  description: string | null
  fields: ReadonlyMap<string, ValueField>
  /** An `input` of the file: it is sent, never stored. What is left out of it stays out. */
  isInput?: true
  /** `@oneOf`: just one of the fields is given. */
  isOneOf?: true
  alias?: string
  /** The names that rows keep its fields under, by their present ones, where something in it was renamed: a rename moves no
   *  data. Whoever opens a store sets it. */
  storageKeys?: ReadonlyMap<string, string>
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
  /** What rows keep of its values, by their present names, where one was renamed. Whoever opens a store sets it. */
  storageCodes?: ReadonlyMap<string, string>
  place: SourceLocation
}

export interface EnumValue {
  name: string
  description: string | null
  deprecated: string | null
  alias?: string
}

/** `scalar X` of the file's own: any JSON, checked by `@constraint`. */
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
  /** The `@next` lines of the enum, in the order of the file. */
  transitions: readonly Transition[]
}

/** One `@next` line: all that it says must hold. */
export interface Transition {
  from: string
  to: readonly string[]
  /** Null, as the role is too: for whoever may update the row. */
  who: Who | null
  role: string | null
  /** Must hold of the row as it would be: a filter as in section 2, plain JSON. */
  where: Json | null
  place: SourceLocation
}

export interface Constraint {
  min?: number
  max?: number
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

/** One `@allow` line: all that it says must hold. */
export interface Rule {
  who: Who
  role: string | null
  to: readonly Action[]
  /** A filter as in section 2, checked when the file is loaded: plain JSON, `isViewer` among it. */
  where: Json | null
  place: SourceLocation
}

export type Action = 'READ' | 'CREATE' | 'UPDATE' | 'DELETE'

export type Who =
  | { kind: 'anyone' | 'signedIn' | 'self' }
  /** Ends at the account type (the viewer stands there) or at another resource (its rules are taken over). An abstract
   *  with the account type among its members counts as the account type. */
  | { kind: 'path'; path: (ReferenceField | InverseField | ToManyField | LinksField)[]; text: string }

/** `@account`. */
export interface Account {
  resource: Resource
  login: StoredField
  roles: StoredField | null
}

/** The built-in type `File`: references lead to its rows as to any other's, but a row is made by an upload and never
 *  changed. */
export interface FileType {
  /** What can be asked of a file: `id`, `name`, `mediaType`, `size`. */
  resource: Resource
  /** Where the bytes are, in the words of whatever keeps them. Like what follows, nothing that a request can name. */
  bytes: StoredField
  /** Whether no row has held it yet. */
  fresh: StoredField
  /** Whose upload it was; null where no type signs in. */
  uploader: ReferenceField | null
  holders: FileHolder[]
}

/** A field that holds files, and the way back from a file to the rows that hold it so. */
export interface FileHolder {
  field: ReferenceField | LinksField
  back: ToManyField | LinksField
}

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** 1-based, in the schema file. */
export interface SourceLocation {
  line: number
  column: number
}
