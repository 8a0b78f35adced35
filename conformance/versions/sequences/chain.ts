// A chain of schemas, each with everything of the one before: version 0 ⊂ version 1 ⊂ version 2. Types and fields say since which
// version they exist.

export interface Chain {
  /** How many versions it has. */
  versions: number
  types: readonly TypeSketch[]
}

export interface TypeSketch {
  name: string
  since: number
  fields: readonly FieldSketch[]
}

export type FieldSketch =
  | ScalarSketch
  | TimeSketch
  | ReferenceSketch
  | ChildrenSketch
  | LinksSketch
  | FileSketch
  | FilesSketch

interface Named {
  name: string
  since: number
}

export type Plain = string | number | boolean | null

export interface ScalarSketch extends Named {
  kind: 'scalar'
  type: 'String' | 'Int' | 'Boolean' | 'Float'
  isRequired: boolean
  default: Plain
  /** The first version that searches it; null: none does. */
  searchSince: number | null
}

export interface TimeSketch extends Named {
  kind: 'time'
  set: 'CREATE_TIME' | 'UPDATE_TIME'
}

export interface ReferenceSketch extends Named {
  kind: 'reference'
  to: string
  isRequired: boolean
  onDelete: 'RESTRICT' | 'SET_NULL' | 'CASCADE'
}

/** The inverse of a reference. */
export interface ChildrenSketch extends Named {
  kind: 'children'
  to: string
  via: string
}

/** One side of a many-to-many relation; `back` is the other. */
export interface LinksSketch extends Named {
  kind: 'links'
  to: string
  back: string
  /** Whether the oracle stores the pairs by this side. */
  isLeft: boolean
}

export interface FileSketch extends Named {
  kind: 'file'
  isRequired: boolean
}

export interface FilesSketch extends Named {
  kind: 'files'
}

/** The types that a version has, with the fields that it has. */
export function typesOf(chain: Chain, version: number): TypeSketch[] {
  return chain.types
    .filter(({ since }) => since <= version)
    .map((type) => ({ ...type, fields: type.fields.filter(({ since }) => since <= version) }))
}

export function typeOf(chain: Chain, name: string, version: number): TypeSketch | undefined {
  return typesOf(chain, version).find((type) => type.name === name)
}

export function isSearched(field: FieldSketch, version: number): field is ScalarSketch {
  return field.kind === 'scalar' && field.searchSince !== null && field.searchSince <= version
}

/** `/alphas` and `alphas`. */
export function listName({ name }: Pick<TypeSketch, 'name'>): string {
  return `${name.toLowerCase()}s`
}

export function schemaText(chain: Chain, version: number): string {
  return typesOf(chain, version)
    .map((type) => {
      const lines = type.fields.map((field) => `  ${field.name}: ${fieldText(field, version)}\n`)
      return `type ${type.name} @allow {\n  id: ID!\n${lines.join('')}}\n`
    })
    .join('\n')
}

function fieldText(field: FieldSketch, version: number): string {
  switch (field.kind) {
    case 'scalar': {
      const filled = field.default === null ? '' : ` @default(value: ${JSON.stringify(field.default)})`
      return `${field.type}${field.isRequired ? '!' : ''}${filled}${isSearched(field, version) ? ' @search' : ''}`
    }
    case 'time':
      return `DateTime! @auto(set: ${field.set})`
    case 'reference':
      return `${field.to}${field.isRequired ? '!' : ''} @relation(onDelete: ${field.onDelete})`
    case 'children':
      return `[${field.to}!]! @relation(inverse: "${field.via}")`
    case 'links':
      return `[${field.to}!]! @relation(inverse: "${field.back}")`
    case 'file':
      return `File${field.isRequired ? '!' : ''}`
    case 'files':
      return '[File!]!'
  }
}
