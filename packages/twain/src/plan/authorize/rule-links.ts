// Many-to-many lists that rules go through: who stands in such a list has rights by it, so that putting oneself there is the
// one thing that must not be had from the other side.

import type { LinksField, Model, Rule, Transition } from '#model'

const trustedByModel = new WeakMap<Model, ReadonlySet<LinksField>>()

export function trustedLinks(model: Model): ReadonlySet<LinksField> {
  const found = trustedByModel.get(model)
  if (found !== undefined) return found
  const trusted = new Set<LinksField>()
  for (const { rules, fields } of model.resources) {
    const onFields = [...fields.values()].flatMap((field) => field.rules)
    const moves = [...fields.values()].flatMap((field) =>
      field.kind === 'stored' ? (field.stateMachine?.transitions ?? []) : [],
    )
    for (const line of [...rules, ...onFields, ...moves]) {
      for (const field of linksOf(line, model)) trusted.add(field)
    }
  }
  trustedByModel.set(model, trusted)
  return trusted
}

/** Of the filter only names are looked at: a list that is named there without need is trusted, which is on the safe side. */
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
