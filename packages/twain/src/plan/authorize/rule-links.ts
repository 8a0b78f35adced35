// Lists that access rules go through. They look only at the names in the filters, and may find too many lists, which is the safe
// side.

import type { Field, InverseField, LinksField, Model, Rule, ToManyField, Transition } from '#model'

const trustedByModel = new WeakMap<Model, ReadonlySet<LinksField>>()

/** Many-to-many lists that rules go through. A viewer who is in such a list has rights by it, so no viewer may add themselves from the
 *  other side. */
export function trustedLinks(model: Model): ReadonlySet<LinksField> {
  const found = trustedByModel.get(model)
  if (found !== undefined) return found
  const trusted = new Set(rulesOf(model).flatMap((rule) => linksOf(rule, model)))
  trustedByModel.set(model, trusted)
  return trusted
}

/** With these words a filter can hold because a row is not in a list. */
const negations = ['none', 'every', 'not']

/** Lists of which a rule may require that a row is not in them: whoever adds a row to one must wait for those that rely on it. */
export function negatedLists(model: Model): (ToManyField | InverseField | LinksField)[] {
  const words = rulesOf(model).map(({ where }) => wordsIn(where))
  const isNamed = ({ name, kind }: Field) =>
    words.some((some) => some.has(name) && (kind === 'inverse' || negations.some((word) => some.has(word))))
  return fieldsOf(model).filter((field) => isList(field) && isNamed(field)) as (
    | ToManyField
    | InverseField
    | LinksField
  )[]
}

function isList({ kind }: Field): boolean {
  return kind === 'many' || kind === 'inverse' || kind === 'links'
}

function rulesOf(model: Model): (Rule | Transition)[] {
  return model.resources.flatMap(({ rules, fields, computed }) => {
    const onFields = [...fields.values(), ...computed.values()].flatMap((field) => field.rules)
    const transitions = [...fields.values()].flatMap((field) =>
      field.kind === 'stored' ? (field.stateMachine?.transitions ?? []) : [],
    )
    return [...rules, ...onFields, ...transitions]
  })
}

function fieldsOf(model: Model): Field[] {
  return model.resources.flatMap((resource) => [...resource.fields.values()])
}

function linksOf({ who, where }: Rule | Transition, model: Model): LinksField[] {
  const onPath = who?.kind === 'path' ? who.path.filter((field) => field.kind === 'links') : []
  if (where === null) return onPath
  const words = wordsIn(where)
  return [
    ...onPath,
    ...fieldsOf(model).filter((field) => field.kind === 'links' && words.has(field.name)),
  ] as LinksField[]
}

function wordsIn(where: Rule['where']): ReadonlySet<string> {
  if (where === null) return new Set()
  const words = JSON.stringify(where).match(/"[^"]+"(?=:)/g) ?? []
  return new Set(words.map((word) => word.slice(1, -1)))
}
