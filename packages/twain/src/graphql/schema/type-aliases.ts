// Previous names of types in documents (`@was`): after a rename a document may still have `CreatePostInput!` and `on Post`. They
// are replaced by the current names before validation. Introspection shows only the current names.

import { type DocumentNode, type NamedTypeNode, visit } from 'graphql'
import type { Field, Model, Resource } from '#model'
import { generatedTypes } from '#model/names'

/** From the previous name to the current one. Null if no type was renamed. */
export type TypeAliases = ReadonlyMap<string, string> | null

export function typeAliasesOf(model: Model): TypeAliases {
  if (!hasAliases(model)) return null
  const currentNames = namesOf(model)
  const taken = new Set(currentNames)
  const names = new Map<string, string>()
  for (const renamed of [
    withAliasNames(model, true, false),
    withAliasNames(model, false, true),
    withAliasNames(model, true, true),
  ]) {
    for (const [index, alias] of namesOf(renamed).entries())
      if (!taken.has(alias)) names.set(alias, currentNames[index]!)
  }
  return names.size === 0 ? null : names
}

function hasAliases({ resources, abstracts, values, enums, scalars }: Model): boolean {
  const isRenamed = ({ alias }: { alias?: string }) => alias !== undefined
  if ([...resources, ...abstracts, ...values, ...enums, ...scalars].some(isRenamed)) return true
  return resources.some(({ fields }) => fields.values().some(isRenamed))
}

/** The names of the types and of all generated types, in an order that does not depend on the names. */
function namesOf(model: Model): string[] {
  const { resources, abstracts, values, enums, scalars } = model
  const declared = [...resources, ...abstracts, ...values, ...enums, ...scalars].map(({ name }) => name)
  return [...declared, ...generatedTypes(model).map(({ name }) => name)]
}

/** The model with the previous names of its types, of the lists that name nested inputs, or of both. */
function withAliasNames(model: Model, types: boolean, lists: boolean): Model {
  const rename = <Item extends { name: string; alias?: string }>(items: readonly Item[]): Item[] =>
    items.map((item) => ({ ...item, name: (types ? item.alias : undefined) ?? item.name }))
  const nameOf = ({ name, alias }: Field): string => (lists ? alias : undefined) ?? name
  const resources = rename(model.resources).map((owner) => ({ ...owner, fields: new Map<string, Field>() }))
  const renamed = new Map<unknown, Resource>(model.resources.map((resource, index) => [resource, resources[index]!]))
  for (const [resource, owner] of renamed as Map<Resource, Resource & { fields: Map<string, Field> }>) {
    for (const field of resource.fields.values()) {
      const name = nameOf(field)
      const to = 'to' in field ? { to: renamed.get(field.to) ?? field.to } : {}
      owner.fields.set(name, { ...field, ...to, owner, name } as Field)
    }
    owner.indexes = resource.indexes.map((index) => ({
      ...index,
      fields: index.fields.map((field) => owner.fields.get(nameOf(field)) as typeof field),
    }))
  }
  const [abstracts, values, enums, scalars] = [
    rename(model.abstracts),
    rename(model.values),
    rename(model.enums),
    rename(model.scalars),
  ]
  return { ...model, resources, abstracts, values, enums, scalars }
}

export function resolveTypeAliases(document: DocumentNode, aliases: TypeAliases): DocumentNode {
  if (aliases === null) return document
  return visit(document, {
    NamedType(node): NamedTypeNode | undefined {
      const currentName = aliases.get(node.name.value)
      return currentName === undefined ? undefined : { ...node, name: { ...node.name, value: currentName } }
    },
  })
}
