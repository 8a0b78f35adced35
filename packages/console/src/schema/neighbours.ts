// Which types a picture shows, and the arrows between them.

import type { Arrow } from './layout.ts'
import type { Schema, SchemaType } from './schema-data.ts'

export interface TypeArrow extends Arrow {
  kind: 'one' | 'many' | 'value' | 'member'
}

/** More types than this make no readable picture. */
export const maxTypes = 40

/** Types with a box of their own. */
export function drawnTypes({ types }: Schema): readonly SchemaType[] {
  return types.filter(({ kind }) => ['resource', 'view', 'interface', 'union', 'value'].includes(kind))
}

/** Each relation once: the two sides of a relation are one arrow. */
export function arrowsOf(schema: Schema): readonly TypeArrow[] {
  const drawn = new Set(drawnTypes(schema).map(({ name }) => name))
  const sides = new Set<string>()
  const arrows: TypeArrow[] = []
  const fields = [...drawn].flatMap((name) => schema.fieldsOf(name))
  // A reference has the column, so it is the side that is drawn.
  for (const field of [...fields.filter(({ kind }) => kind === 'reference'), ...fields]) {
    const { of, name, kind, to, inverse } = field
    if (to === null || !drawn.has(to) || kind === 'operation' || sides.has(`${of}.${name}`)) continue
    if (inverse !== null && sides.has(`${to}.${inverse}`)) continue // the reference to an interface is drawn
    sides.add(`${of}.${name}`)
    if (inverse !== null) sides.add(`${to}.${inverse}`)
    const arrow = kind === 'reference' ? 'one' : kind === 'list' ? 'many' : 'value'
    arrows.push({ from: of, to, label: name, kind: arrow })
  }
  for (const { name, memberOf } of drawnTypes(schema)) {
    for (const one of memberOf) arrows.push({ from: name, to: one, label: '', kind: 'member' })
  }
  return arrows
}

/** The types that are at most so many steps away, the nearest first. */
export function nearTypes(name: string, steps: number, arrows: readonly Arrow[]): readonly string[] {
  const near = new Set([name])
  let edge = [name]
  for (let step = 0; step < steps; step++) {
    edge = edge
      .flatMap((one) => arrows.flatMap(({ from, to }) => (from === one ? [to] : to === one ? [from] : [])))
      .filter((one) => !near.has(one))
    for (const one of edge) near.add(one)
  }
  return [...near]
}
