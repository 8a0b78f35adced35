// The TypeScript texts of types, for `twain types`.

import { type Field, type StoredType, scalarOf } from '#model'

/** `input`: what code receives. `output`: what code may return, including JavaScript's own types. */
export type TypeSide = 'input' | 'output'

export function typeText(type: StoredType, side: TypeSide): string {
  switch (type.kind) {
    case 'scalar':
      return scalarOf(type.name).typescript[side]
    case 'custom':
      return 'unknown'
    case 'enum':
      return type.enum.name
    case 'value':
      return side === 'output' ? `${type.value.name}Answer` : type.value.name
    case 'list': {
      const item = orNull(typeText(type.of, side), type.itemRequired)
      return side === 'input' ? `readonly (${item})[]` : `readonly (${item} | Error)[]`
    }
  }
}

export function orNull(text: string, required: boolean): string {
  return required || text === 'unknown' ? text : `${text} | null`
}

export function columnType(field: Extract<Field, { kind: 'stored' | 'reference' }>): string {
  return field.kind === 'reference' ? 'string' : typeText(field.type, 'input')
}

export function shape(name: string, members: readonly string[]): string {
  return `export interface ${name} {${members.length === 0 ? '' : `\n${members.map((member) => `  ${member}`).join('\n')}\n`}}`
}

export function quoted(text: string): string {
  return `'${text}'`
}
