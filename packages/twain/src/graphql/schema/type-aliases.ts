// Former names of types in documents (`@was`): variables say `CreatePostInput!`, fragments `on Post`, also after the type and
// what is made for it have another name. They are read as the present ones; introspection shows these alone.

import { type DocumentNode, type NamedTypeNode, visit } from 'graphql'
import { type Field, generatedTypes, type Model } from '#model'

/** By former name: the present one. Null where no type had another. */
export type TypeAliases = ReadonlyMap<string, string> | null

export function typeAliasesOf(model: Model): TypeAliases {
  const present = namesOf(model)
  const taken = new Set(present)
  const names = new Map<string, string>()
  for (const called of [
    withAliasNames(model, true, false),
    withAliasNames(model, false, true),
    withAliasNames(model, true, true),
  ]) {
    for (const [index, former] of namesOf(called).entries()) if (!taken.has(former)) names.set(former, present[index]!)
  }
  return names.size === 0 ? null : names
}

/** Of the types themselves, and of all that is made for them, in an order that does not hang on the names. */
function namesOf(model: Model): string[] {
  const { resources, abstracts, values, enums, scalars } = model
  const own = [...resources, ...abstracts, ...values, ...enums, ...scalars].map(({ name }) => name)
  return [...own, ...generatedTypes(model).map(({ name }) => name)]
}

/** What names are made of as it was called: the types, the lists that rows are made along by, or both. */
function withAliasNames(model: Model, types: boolean, lists: boolean): Model {
  const rename = <Item extends { name: string; alias?: string }>(items: readonly Item[]): Item[] =>
    items.map((item) => ({ ...item, name: (types ? item.alias : undefined) ?? item.name }))
  const resources = rename(model.resources).map((owner) => {
    const fields = [...owner.fields].map(([key, field]): [string, Field] => {
      return [key, { ...field, owner, name: (lists ? field.alias : undefined) ?? field.name }]
    })
    return { ...owner, fields: new Map(fields) }
  })
  const [abstracts, values, enums, scalars] = [
    rename(model.abstracts),
    rename(model.values),
    rename(model.enums),
    rename(model.scalars),
  ]
  return { ...model, resources, abstracts, values, enums, scalars }
}

export function resolveTypeAliases(document: DocumentNode, former: TypeAliases): DocumentNode {
  if (former === null) return document
  return visit(document, {
    NamedType(node): NamedTypeNode | undefined {
      const present = former.get(node.name.value)
      return present === undefined ? undefined : { ...node, name: { ...node.name, value: present } }
    },
  })
}
