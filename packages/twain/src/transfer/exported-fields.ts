// The fields that a file of rows has: what a row itself stores, and the links that it holds.

import type { Field, LinksField, Model, ReferenceField, Resource, StoredField } from '#model'

export type ExportedField = StoredField | ReferenceField | LinksField

/** In the order of the schema file. A list of links stands on one of its two sides. */
export function exportedFields({ fields }: Resource): ExportedField[] {
  return [...fields.values()].filter(isExported)
}

function isExported(field: Field): field is ExportedField {
  if (field.kind === 'links') return field.link.left === field
  return field.kind === 'stored' || field.kind === 'reference'
}

/** The types in an order in which required references name rows of earlier types, as far as there is one. */
export function importOrder({ resources }: Model): Resource[] {
  const order = new Set<Resource>()
  const visiting = new Set<Resource>()
  const visit = (of: Resource) => {
    if (order.has(of) || visiting.has(of)) return
    visiting.add(of)
    for (const field of of.fields.values()) {
      if (field.kind !== 'reference' || !field.required) continue
      for (const target of field.to.kind === 'resource' ? [field.to] : field.to.members) visit(target)
    }
    order.add(of)
  }
  for (const of of resources) visit(of)
  return [...order].filter((of) => resources.includes(of))
}
