// Many-to-many lists that access rules go through. A viewer who is in such a list has rights by it, so no viewer may add
// themselves from the other side.

import type { LinksField, Model, Rule, Transition } from '#model'

const trustedByModel = new WeakMap<Model, ReadonlySet<LinksField>>()

export function trustedLinks(model: Model): ReadonlySet<LinksField> {
  const found = trustedByModel.get(model)
  if (found !== undefined) return found
  const trusted = new Set<LinksField>()
  for (const { rules, fields, computed } of model.resources) {
    const onFields = [...fields.values(), ...computed.values()].flatMap((field) => field.rules)
    const transitions = [...fields.values()].flatMap((field) =>
      field.kind === 'stored' ? (field.stateMachine?.transitions ?? []) : [],
    )
    for (const rule of [...rules, ...onFields, ...transitions]) {
      for (const field of linksOf(rule, model)) trusted.add(field)
    }
  }
  trustedByModel.set(model, trusted)
  return trusted
}

/** Looks only at the names in the filter. It may trust too many lists, which is the safe side. */
function linksOf({ who, where }: Rule | Transition, model: Model): LinksField[] {
  const onPath = who?.kind === 'path' ? who.path.filter((field) => field.kind === 'links') : []
  if (where === null) return onPath
  const words = new Set(
    JSON.stringify(where)
      .match(/"[^"]+"(?=:)/g)
      ?.map((word) => word.slice(1, -1)),
  )
  const fields = model.resources.flatMap((resource) => [...resource.fields.values()])
  return [...onPath, ...fields.filter((field) => field.kind === 'links' && words.has(field.name))] as LinksField[]
}
