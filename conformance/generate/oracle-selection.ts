// A sketched type as GraphQL asks for it, and its answer in REST's words.

import type { Oracle, TypeSketch } from './oracle.ts'

/** Everything of the default representation, as GraphQL asks for it. */
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

/** References as ids, as REST gives them. */
export function plainRow(type: TypeSketch, row: unknown): unknown {
  const plain = { ...(row as Record<string, unknown>) }
  for (const field of type.fields) {
    if (field.kind === 'reference') plain[field.name] = (plain[field.name] as { id: string } | null)?.id ?? null
  }
  return plain
}
