// The GraphQL selection of a type of the oracle, and its answer as REST represents it.

import type { Oracle, TypeSketch } from './oracle.ts'

/** All fields of the default representation. */
export function selection(oracle: Oracle, type: TypeSketch): string {
  const parts = type.fields.flatMap((field) => {
    if (field.kind === 'many' || field.kind === 'links') return []
    if (field.kind === 'reference') return [`${field.name} { __typename id }`]
    if (field.kind !== 'value') return [field.name]
    const value = oracle.sketch.values.find(({ name }) => name === field.type)!
    return [`${field.name} { ${value.fields.map(({ name }) => name).join(' ')} }`]
  })
  return ['id', ...parts].join(' ')
}

/** References as ids, as REST represents them; of the interface as `Type:id`. */
export function plainRow({ sketch }: Oracle, type: TypeSketch, row: unknown): unknown {
  const plain = { ...(row as Record<string, unknown>) }
  for (const field of type.fields) {
    if (field.kind !== 'reference') continue
    const target = plain[field.name] as { __typename: string; id: string } | null
    const isTyped = field.to === sketch.common?.name
    plain[field.name] = target && (isTyped ? `${target.__typename}:${target.id}` : target.id)
  }
  return plain
}
