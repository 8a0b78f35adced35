// A row as REST gives it.

import { type FieldModel, type TypeModel, typeNamed } from './model.ts'

export type Row = { readonly [name: string]: unknown } & { readonly id: string }

/** A row that a reference leads to: its id, its label, and over an interface its type. */
export interface Referred {
  id: string
  type: string
  label: string
}

/** What `fields` must name to show this field: of a reference the id and the label. */
export function apiFields(field: FieldModel): string[] {
  if (field.kind !== 'reference') return [field.name]
  const to = typeNamed(field.type)
  if (to === undefined) return [field.name]
  const names = ['id', ...(to.label === null ? [] : [to.label]), ...(to.kind === 'abstract' ? ['_type'] : [])]
  return names.map((name) => `${field.name}.${name}`)
}

/** The row behind a reference; null: there is none, or the user may not read it. */
export function referredBy(field: FieldModel, value: unknown): Referred | null {
  if (value === null || value === undefined) return null
  if (typeof value !== 'object') return { id: String(value), type: field.type, label: String(value) }
  const { id, _type, ...rest } = value as Row
  const label = typeNamed(field.type)?.label
  const text = label == null ? null : rest[label]
  return { id, type: typeof _type === 'string' ? _type : field.type, label: text == null ? id : String(text) }
}

export function labelOf(type: TypeModel, row: Row): string {
  const label = type.label === null ? undefined : row[type.label]
  return label === undefined || label === null || label === '' ? row.id : String(label)
}

/** What `fields` must name for the version of a row: files and views have none. */
export function versionField({ name, kind }: TypeModel): string[] {
  return name === 'File' || kind === 'view' ? [] : ['_version']
}
