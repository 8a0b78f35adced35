// The model as the user can use it, from `/docs/model`. All pages are made of it.

import { signal } from '@preact/signals'
import { isReadOnly } from './acting.ts'
import { client } from './client.ts'

/** Whether a right holds for all rows, for some, or for none. */
type Right = 'all' | 'some' | 'none'

export interface FieldModel {
  name: string
  description: string | null
  deprecated?: string
  kind: 'value' | 'reference' | 'list' | 'computed'
  type: string
  required: boolean
  shown: boolean
  read: Right
  operators: readonly string[]
  sort: boolean
  create: Right | 'required'
  update: Right
  constraint?: ConstraintModel
  default?: unknown
  onDelete?: 'RESTRICT' | 'CASCADE' | 'SET_NULL'
  /** Of a list: the field of its rows that refers back. */
  inverse?: string
  transitions?: Readonly<Record<string, readonly string[]>>
}

interface ConstraintModel {
  min?: number | string
  max?: number | string
  minLength?: number
  maxLength?: number
  pattern?: string
  format?: string
}

export interface TypeModel {
  name: string
  path: string
  description: string | null
  kind: 'rows' | 'view' | 'system' | 'abstract'
  members?: readonly string[]
  label: string | null
  search: boolean
  softDelete: boolean
  create: Right
  update: Right
  delete: Right
  fields: readonly FieldModel[]
}

/** A custom operation. */
export interface OperationModel {
  name: string
  kind: 'query' | 'mutation'
  path: string
  description: string | null
  deprecated?: string
  arguments: readonly ArgumentModel[]
  /** Of the answer. */
  type: string
}

/** An argument, or a field of an input. */
export interface ArgumentModel {
  name: string
  description: string | null
  type: string
  required: boolean
  constraint?: ConstraintModel
  default?: unknown
  /** The type whose row the id means. */
  row?: string
}

export interface ServiceModel {
  service: { name: string; description: string | null }
  viewer: {
    account: string | null
    roles: readonly string[]
    /** As whom the user may act; missing: as nobody else. */
    actAs?: { accounts: 'all' | 'some'; roles: readonly string[] }
  }
  signIn: { type: string; login: string; roles: string | null; invites: boolean } | null
  limits: { page: number; transaction: number }
  /** Which documents GraphQL runs. */
  documents: 'any' | 'trusted'
  /** Whether the server keeps mails, or sends them. */
  mails: 'kept' | 'sent'
  types: readonly TypeModel[]
  operations: readonly OperationModel[]
  values: readonly { name: string; oneOf?: true; fields: readonly ArgumentModel[] }[]
  enums: readonly { name: string; values: readonly { name: string; description: string | null }[] }[]
}

export const model = signal<ServiceModel | null>(null)

export async function loadModel(): Promise<ServiceModel> {
  const { data } = await client.rest.get<ServiceModel>('/docs/model')
  return isReadOnly ? withoutWrites(data!) : data!
}

/** The server gives no rights to write to a session that only reads. Nobody has no session. */
function withoutWrites(whole: ServiceModel): ServiceModel {
  const none = { create: 'none', update: 'none' } as const
  const types = whole.types.map((type) => {
    const fields = type.fields.map((field) => ({ ...field, ...none }))
    return { ...type, ...none, delete: 'none' as const, fields }
  })
  return { ...whole, types, operations: whole.operations.filter(({ kind }) => kind === 'query') }
}

/** Rows of a page, at most `limits.page`; 0 is no limit. */
export function pageSize(max: number): number {
  const { page } = model.value!.limits
  return page === 0 ? max : Math.min(max, page)
}

export function typeAt(path: string): TypeModel | undefined {
  return model.value?.types.find((type) => type.path === path)
}

export function typeNamed(name: string): TypeModel | undefined {
  return model.value?.types.find((type) => type.name === name)
}

export function fieldNamed(type: TypeModel, name: string): FieldModel | undefined {
  return type.fields.find((field) => field.name === name)
}

export function enumNamed(name: string): ServiceModel['enums'][number] | undefined {
  return model.value?.enums.find((one) => one.name === name)
}

/** The type without lists and `!`. */
export function innerType(type: string): string {
  return type.replaceAll(/[[\]!]/g, '')
}

export function isListType(type: string): boolean {
  return type.startsWith('[')
}

/** `publishedAt` of the schema is "Published at". */
export function titleOf(name: string): string {
  const words = name
    .replace(/^_/, '')
    .replaceAll('.', ' › ')
    .replaceAll(/([a-z0-9])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
