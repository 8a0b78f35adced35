// The GraphQL selection of a type of the oracle, and its answer as REST represents it.

import type { Oracle, TypeSketch } from './oracle.ts'

/** All fields of the default representation. */
export function selection(oracle: Oracle, type: TypeSketch): string {
  const parts = type.fields.flatMap((field) => {
    if (field.kind === 'many' || field.kind === 'links') return []
    if (field.kind === 'reference') return [`${field.name} { id }`]
    if (field.kind !== 'value') return [field.name]
    const value = oracle.sketch.values.find(({ name }) => name === field.type)!
    return [`${field.name} { ${value.fields.map(({ name }) => name).join(' ')} }`]
  })
  return ['id', ...parts].join(' ')
}

/** References as ids, as REST represents them. */
export function plainRow(type: TypeSketch, row: unknown): unknown {
  const plain = { ...(row as Record<string, unknown>) }
  for (const field of type.fields) {
    if (field.kind === 'reference') plain[field.name] = (plain[field.name] as { id: string } | null)?.id ?? null
  }
  return plain
}
