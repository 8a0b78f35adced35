// The model as one viewer can use it, for programs that make pages of it, such as the console (`/docs/model`): the types whose rows
// the viewer may be able to read, with their fields, what can be filtered and sorted, and what the viewer may be able to write.
//
// 1. It uses the same ViewerRules as requests: a type or field that the viewer can never read is not there.
// 2. Rules with conditions are about single rows: such a right is `some`. Whether it holds for a row, a request tells.

import { isSystem, type Viewer } from '#base/http'
import {
  type Abstract,
  type Action,
  type AnyField,
  type Argument,
  type ComputedField,
  type Constraint,
  type CustomOperation,
  type EnumType,
  type Field,
  isFile,
  isOpaque,
  isShownByDefault,
  isSortable,
  type Json,
  labelOf,
  type Model,
  membersOf,
  operatorsOf,
  type Resource,
  type StoredType,
  searchedFields,
  type ValueField,
  type ValueType,
  writesOf,
} from '#model'
import { hasInvitations, printCustomType, printType } from '#model/names'
import { mayActingRead, mayActingWrite } from '../authorize/acting.ts'
import { isAlways, isNever } from '../authorize/conditions.ts'
import { isGuest } from '../authorize/guest.ts'
import { actingRoles, viewerClassOf } from '../authorize/viewer-class.ts'
import { ViewerRules } from '../authorize/viewer-rules.ts'
import { isRequiredInput } from '../build/input.ts'
import type { Limits } from '../limit/limits.ts'
import type { Where } from '../plan.ts'

export interface ViewerModel {
  service: { name: string; description: string | null }
  viewer: {
    account: string | null
    roles: readonly string[]
    /** Somebody else acts as this viewer. */
    acting?: { by: string; readOnly: boolean }
    /** As whom the viewer may act; missing: as nobody else. */
    actAs?: ActAsView
  }
  /** How accounts sign in; null: there is no account type. */
  signIn: SignInView | null
  limits: { page: number; transaction: number }
  /** Which documents GraphQL runs: any, or trusted ones only. */
  documents: 'any' | 'trusted'
  /** Whether the server keeps mails at `/mails`, or sends them. */
  mails: 'kept' | 'sent'
  types: TypeView[]
  /** The custom queries and mutations that the viewer may call. */
  operations: OperationView[]
  /** The value types, inputs and enums that fields and operations have. */
  values: { name: string; description: string | null; oneOf?: true; fields: ValueFieldView[] }[]
  enums: { name: string; description: string | null; values: EnumValueView[] }[]
}

interface ActAsView {
  /** `some`: it depends on the account. */
  accounts: 'all' | 'some'
  /** Only who may act as all accounts may act as a role. */
  roles: string[]
}

/** Whether a right holds for all rows, for some, or for none. */
type Right = 'all' | 'some' | 'none'

interface TypeView {
  name: string
  /** The collection path. */
  path: string
  description: string | null
  /** `rows` of a resource, read-only ones of a `view`, a `system` type of the server, or the rows of an `abstract` type. */
  kind: 'rows' | 'view' | 'system' | 'abstract'
  /** The names of the types of an interface or union. */
  members?: string[]
  /** The field that names a row; null: its id. */
  label: string | null
  search: boolean
  softDelete: boolean
  create: Right
  update: Right
  delete: Right
  fields: FieldView[]
}

interface FieldView {
  name: string
  description: string | null
  deprecated?: string
  /** `value`: stored in the row; `reference`: to one row; `list`: of rows; `computed`: by custom code. */
  kind: 'value' | 'reference' | 'list' | 'computed'
  /** As in the schema file, without the `!` of the field: `[String!]`. */
  type: string
  required: boolean
  /** Whether a row has it if a request chooses no fields. */
  shown: boolean
  read: Right
  /** The operators of filters; empty: there are none. */
  operators: readonly string[]
  sort: boolean
  /** `required`: a create must have it. */
  create: 'required' | Right
  update: Right
  constraint?: Constraint
  default?: Json
  /** Of a reference: what happens to this row if the other one is deleted. */
  onDelete?: 'RESTRICT' | 'CASCADE' | 'SET_NULL'
  /** Of a list: the field of its rows that refers to this row. A many-to-many list has none. */
  inverse?: string
  /** The states that can follow each state, for anyone. */
  transitions?: Record<string, string[]>
}

interface SignInView {
  type: string
  /** The names of its fields. `roles` is null if there is none that the viewer can read. */
  login: string
  roles: string | null
  /** Whether the viewer may invite somebody. */
  invites: boolean
}

interface ValueFieldView {
  name: string
  description: string | null
  type: string
  required: boolean
  constraint?: Constraint
}

interface EnumValueView {
  name: string
  description: string | null
  deprecated?: string
}

/** Custom operations (docs/reference/rest.md, R118 and R119). */
interface OperationView {
  name: string
  kind: 'query' | 'mutation'
  /** Of a `GET` or a `POST`. */
  path: string
  description: string | null
  deprecated?: string
  arguments: ArgumentView[]
  /** The type of the answer, as in the schema file, without the outer `!`. */
  type: string
}

interface ArgumentView extends ValueFieldView {
  default?: Json
  /** The type whose row an id means: `id` means a row of the answer, another name is the name of a type (`post`, `postId`). */
  row?: string
}

interface ServedOptions {
  /** Whether the viewer may act as every account, by a rule or as the developer. */
  mayActAsAny?: boolean
  isTrustedOnly?: boolean
  /** Whether mails are kept at `/mails`, as in `twain dev`. */
  keepsMails?: boolean
}

export function viewerModel(
  model: Model,
  viewer: Viewer,
  limits: Limits,
  { mayActAsAny = false, isTrustedOnly = false, keepsMails = false }: ServedOptions = {},
): ViewerModel {
  const access = new ViewerAccess(model, viewer)
  const types = readableTypes(model, access)
  const used = new Set<ValueType | EnumType>()
  const views = types.map((type) => typeView(type, access, used))
  const operations = model.operations.filter((one) => access.mayCall(one)).map((one) => operationView(one, types, used))
  const actAs = mayActAsAny ? 'all' : access.actAs()
  return {
    service: model.service,
    viewer: {
      account: viewer.account,
      roles: viewer.roles,
      ...(viewer.acting && { acting: { by: viewer.acting.by, readOnly: viewer.acting.readOnly } }),
      ...(actAs !== 'none' && { actAs: { accounts: actAs, roles: actAs === 'all' ? rolesFor(viewer, model) : [] } }),
    },
    signIn: signInView(model, viewer, views),
    limits: { page: limits.page, transaction: limits.transaction },
    documents: isTrustedOnly ? 'trusted' : 'any',
    mails: keepsMails ? 'kept' : 'sent',
    types: views,
    operations,
    values: valueViews(used),
    enums: [...used].filter((one) => one.kind === 'enum').map(enumView),
  }
}

function signInView(model: Model, viewer: Viewer, types: readonly TypeView[]): SignInView | null {
  const { account } = model
  if (account === null) return null
  const { resource, login, roles } = account
  const mayInvite = viewer.authenticated && viewer.acting === undefined && !isGuest(resource, viewer)
  const readable = types.find(({ name }) => name === resource.name)?.fields.some(({ name }) => name === roles?.name)
  return {
    type: resource.name,
    login: login.name,
    roles: readable === true ? roles!.name : null,
    invites: mayInvite && hasInvitations(model),
  }
}

/** Only the role admin may act as it. */
function rolesFor({ roles }: Viewer, model: Model): string[] {
  return [...actingRoles(model)].filter((role) => role !== 'admin' || roles.includes('admin'))
}

/** What one viewer may do. */
class ViewerAccess {
  readonly #rules: ViewerRules
  readonly #isSystem: boolean
  readonly #viewer: Viewer
  readonly #account: Resource | null
  /** A viewer without an account names the account of fields that are set to the viewer. */
  readonly hasAccount: boolean

  constructor(model: Model, viewer: Viewer) {
    this.#rules = new ViewerRules(model, viewerClassOf(viewer, model))
    this.#isSystem = isSystem(viewer)
    this.#viewer = viewer
    this.#account = model.account?.resource ?? null
    this.hasAccount = viewer.account !== null
  }

  row(of: Resource, action: Action): Right {
    if (action !== 'READ' && !mayActingWrite(of, this.#viewer)) return 'none'
    return this.#isSystem ? 'all' : rightOf(this.#rules.row(of, action))
  }

  field(field: AnyField, action: Action): Right {
    if (action !== 'READ' && !mayActingWrite(field.owner, this.#viewer)) return 'none'
    return this.#isSystem ? 'all' : rightOf(this.#rules.field(field, action))
  }

  /** Subscriptions are not for a form. */
  mayCall(operation: CustomOperation): boolean {
    if (operation.root === 'Subscription') return false
    if (operation.root === 'Mutation' && this.#viewer.acting?.readOnly === true) return false
    return this.#isSystem || this.#rules.mayCall(operation)
  }

  /** The accounts that the viewer may act as. */
  actAs(): Right {
    if (this.#account === null || this.#isSystem || this.#viewer.acting !== undefined) return 'none'
    return rightOf(this.#rules.actAs(this.#account))
  }

  mayList(of: Resource): boolean {
    if (this.#isSystem) return true
    if (!mayActingRead(of, this.#viewer)) return false
    return of.system === undefined && !isFile(of) ? this.row(of, 'READ') !== 'none' : this.#rules.mayUse(of)
  }
}

function rightOf(where: Where): Right {
  if (isAlways(where)) return 'all'
  return isNever(where) ? 'none' : 'some'
}

function readableTypes(model: Model, access: ViewerAccess): (Resource | Abstract)[] {
  const own = [...model.resources, ...model.views, ...(model.file === null ? [] : [model.file.resource])]
  const system = model.system.resources.filter((type) => type !== model.file?.resource)
  const readable = [...own, ...system].filter((type) => access.mayList(type))
  return [...readable, ...model.abstracts.filter(({ members }) => members.some((one) => readable.includes(one)))]
}

function typeView(of: Resource | Abstract, access: ViewerAccess, used: Set<ValueType | EnumType>): TypeView {
  const isShown = (field: AnyField) => fieldRight(field, of, access, 'READ') !== 'none'
  const fields = [...of.fields.values(), ...of.computed.values()].filter(isShown)
  for (const field of fields) if (field.kind === 'stored') addTypes(field.type, used)
  const right = (write: 'create' | 'update' | 'delete'): Right =>
    of.kind === 'resource' && writesOf(of).includes(write) ? access.row(of, actions[write]) : 'none'
  return {
    name: of.name,
    path: of.path,
    description: of.description,
    kind: kindOf(of),
    ...(of.kind === 'abstract' ? { members: of.members.map(({ name }) => name) } : {}),
    label: labelOf(of, isShown)?.name ?? null,
    search: searchedFields(of).some((field) => access.field(field, 'READ') !== 'none'), // of an interface, those of each type
    softDelete: of.kind === 'resource' && of.softDelete !== undefined,
    create: right('create'),
    update: right('update'),
    delete: right('delete'),
    fields: fields.map((field) => fieldView(field, of, access)),
  }
}

const actions = { create: 'CREATE', update: 'UPDATE', delete: 'DELETE' } as const

function kindOf(of: Resource | Abstract): TypeView['kind'] {
  if (of.kind === 'abstract') return 'abstract'
  if (of.view !== undefined) return 'view'
  return of.system === undefined && !isFile(of) ? 'rows' : 'system'
}

/** Over an interface or union, a field can be read if it can be read in one of its types. */
function fieldRight(field: AnyField, of: Resource | Abstract, access: ViewerAccess, action: Action): Right {
  const rights = membersOf(of).map((member) =>
    access.field((member.fields.get(field.name) ?? member.computed.get(field.name))!, action),
  )
  if (rights.every((one) => one === 'all')) return 'all'
  return rights.every((one) => one === 'none') ? 'none' : 'some'
}

function fieldView(field: AnyField, of: Resource | Abstract, access: ViewerAccess): FieldView {
  const isStored = field.kind === 'stored'
  return {
    name: field.name,
    description: field.description,
    ...(field.deprecated === null ? {} : { deprecated: field.deprecated }),
    kind: fieldKind(field),
    type: typeOf(field),
    required: field.required,
    shown: field.kind !== 'computed' && field.kind !== 'many' && field.kind !== 'links' && isShownByDefault(field),
    read: fieldRight(field, of, access, 'READ'),
    operators: isStored && !isOpaque(field) ? operatorsOf(field.type) : [],
    sort: field.kind !== 'computed' && isSortable(field),
    create: createRight(field, of, access),
    update: updateRight(field, of, access),
    ...(isStored && field.constraint !== null ? { constraint: field.constraint } : {}),
    ...('default' in field && field.default !== undefined ? { default: field.default } : {}),
    ...(field.kind === 'reference' ? { onDelete: field.onDelete } : {}),
    ...(field.kind === 'many' && access.field(field.via, 'READ') !== 'none' ? { inverse: field.via.name } : {}),
    ...(isStored && field.stateMachine !== undefined ? { transitions: transitionsOf(field.stateMachine) } : {}),
  }
}

function fieldKind(field: AnyField): FieldView['kind'] {
  if (field.kind === 'stored') return 'value'
  if (field.kind === 'computed') return 'computed'
  return field.kind === 'reference' || field.kind === 'inverse' ? 'reference' : 'list'
}

function typeOf(field: Field | ComputedField): string {
  if (field.kind === 'stored') return printType(field.type)
  if (field.kind === 'computed') return printCustomType(field.type)
  return field.kind === 'many' || field.kind === 'links' ? `[${field.to.name}!]` : field.to.name
}

function createRight(field: AnyField, of: Resource | Abstract, access: ViewerAccess): FieldView['create'] {
  if (of.kind === 'abstract' || !writesOf(of).includes('create') || access.row(of, 'CREATE') === 'none') return 'none'
  if (!isWritten(field)) return 'none'
  if (field.kind === 'reference' && field.auto === 'VIEWER')
    return access.hasAccount ? 'none' : field.required ? 'required' : 'all'
  const right = access.field(field, 'CREATE')
  const isRequired = isRequiredInput(field) || (!access.hasAccount && isRequiredReference(field))
  return right !== 'none' && isRequired ? 'required' : right
}

function isRequiredReference(field: Field): boolean {
  return field.kind === 'reference' && field.required && field.defaultsToViewer
}

function updateRight(field: AnyField, of: Resource | Abstract, access: ViewerAccess): Right {
  if (of.kind === 'abstract' || !writesOf(of).includes('update') || !isWritten(field)) return 'none'
  const isFixed = (field.kind === 'stored' || field.kind === 'reference') && field.immutable
  if (isFixed || (field.kind === 'reference' && field.auto !== null)) return 'none'
  if (field.kind === 'stored' && field.stateMachine !== undefined) return access.field(field, 'UPDATE') // `@next` may allow it
  return access.row(of, 'UPDATE') === 'none' ? 'none' : access.field(field, 'UPDATE')
}

/** Whether a write can name the field, as a value or as ids. */
function isWritten(field: AnyField): field is Exclude<Field, { kind: 'inverse' | 'many' }> {
  if (field.name === 'id') return false
  return field.kind === 'stored' ? field.auto === null : field.kind === 'reference' || field.kind === 'links'
}

function transitionsOf({ transitions }: { transitions: readonly { from: string; to: readonly string[] }[] }) {
  const next: Record<string, string[]> = {}
  for (const { from, to } of transitions) next[from] = [...new Set([...(next[from] ?? []), ...to])]
  return next
}

function operationView(
  { root, name, path, description, deprecated, args, type }: CustomOperation,
  types: readonly (Resource | Abstract)[],
  used: Set<ValueType | EnumType>,
): OperationView {
  for (const argument of args) addTypes(argument.type, used)
  if (type.kind === 'stored') addTypes(type.type, used)
  const shown = type.kind === 'row' ? types.find((one) => one === type.of) : undefined
  return {
    name,
    kind: root === 'Query' ? 'query' : 'mutation',
    path,
    description,
    ...(deprecated === null ? {} : { deprecated }),
    arguments: args.map((argument) => {
      const row = rowOf(argument, types, shown)
      return {
        ...valueFieldView(argument),
        ...(argument.default === undefined ? {} : { default: argument.default }),
        ...(row === undefined ? {} : { row: row.name }),
      }
    }),
    type: printCustomType(type),
  }
}

/** Which row the id of an argument means. Only a guess of a type that the viewer can read helps them. */
function rowOf(
  { name, type }: Argument,
  types: readonly (Resource | Abstract)[],
  shown: Resource | Abstract | undefined,
): Resource | Abstract | undefined {
  if (type.kind !== 'scalar' || type.name !== 'ID') return undefined
  return name === 'id' ? shown : types.find(({ single }) => name === single || name === `${single}Id`)
}

function addTypes(type: StoredType, used: Set<ValueType | EnumType>): void {
  if (type.kind === 'list') addTypes(type.of, used)
  if (type.kind === 'enum') used.add(type.enum)
  if (type.kind !== 'value' || used.has(type.value)) return
  used.add(type.value)
  for (const field of type.value.fields.values()) addTypes(field.type, used)
}

function valueViews(used: ReadonlySet<ValueType | EnumType>): ViewerModel['values'] {
  return [...used]
    .filter((one) => one.kind === 'value')
    .map(({ name, description, fields, isOneOf }) => ({
      name,
      description,
      ...(isOneOf === true ? { oneOf: true } : {}),
      fields: [...fields.values()].map(valueFieldView),
    }))
}

function valueFieldView({ name, description, type, required, constraint }: ValueField | Argument): ValueFieldView {
  return { name, description, type: printType(type), required, ...(constraint === null ? {} : { constraint }) }
}

function enumView({ name, description, values }: EnumType): ViewerModel['enums'][number] {
  return {
    name,
    description,
    values: values.map(({ name, description, deprecated }) => ({
      name,
      description,
      ...(deprecated === null ? {} : { deprecated }),
    })),
  }
}
