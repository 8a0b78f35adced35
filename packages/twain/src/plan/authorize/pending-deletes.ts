// Rows that a delete in the background has hidden already (docs/internals/decisions/0048-large-deletes.md): the row that a client
// deleted, and every row that CASCADE takes along. They are unreadable for everybody until they are gone. Only while there is
// such a delete, READ has these conditions.

import { type Model, membersOf, type ReferenceField, type Resource } from '#model'
import type { Where } from '../plan.ts'
import { all, always, any } from './conditions.ts'

export class PendingDeletes {
  readonly #roots: ReadonlySet<string>
  readonly #affected: ReadonlySet<Resource>
  readonly #conditions = new Map<Resource, Where>()

  /** `roots`: the names of the types of which a row is being deleted. */
  constructor(roots: ReadonlySet<string>, model: Model) {
    this.#roots = roots
    this.#affected = affectedTypes(roots, model)
  }

  /** The rows of the type that are not being deleted. */
  live(resource: Resource): Where {
    const known = this.#conditions.get(resource)
    if (known !== undefined) return known
    const made = this.#affected.has(resource) ? this.#condition(resource) : always
    this.#conditions.set(resource, made)
    return made
  }

  #condition(resource: Resource): Where {
    const above = this.#above(resource)
    if (isCyclic(above)) return { kind: 'live', above }
    const own: Where = this.#roots.has(resource.name) ? { kind: 'live', above: [] } : always
    const owners = this.#owners(resource).map((field) =>
      any([
        { kind: 'null', target: field, is: true },
        { kind: 'through', field, where: this.#targets(field) },
      ]),
    )
    return all([own, ...owners])
  }

  #targets(field: ReferenceField): Where {
    if (field.to.kind === 'resource') return this.live(field.to)
    return any(field.to.members.map((member) => all([{ kind: 'type', of: member }, this.live(member)])))
  }

  /** The references of the type by which a delete may come to its rows. */
  #owners(resource: Resource): ReferenceField[] {
    return cascadingFields(resource).filter(({ to }) => membersOf(to).some((target) => this.#affected.has(target)))
  }

  /** All references on the way from the type to a type of which a row is being deleted. */
  #above(resource: Resource): ReferenceField[] {
    const types = new Set([resource])
    const fields: ReferenceField[] = []
    for (const type of types) {
      for (const field of this.#owners(type)) {
        fields.push(field)
        for (const target of membersOf(field.to)) if (this.#affected.has(target)) types.add(target)
      }
    }
    return fields
  }
}

function cascadingFields({ fields }: Resource): ReferenceField[] {
  return [...fields.values()]
    .filter((field) => field.kind === 'reference')
    .filter(({ onDelete }) => onDelete === 'CASCADE')
}

/** The types whose rows a delete of these may take along, these included. */
function affectedTypes(roots: ReadonlySet<string>, { resources }: Model): ReadonlySet<Resource> {
  const affected = new Set(resources.filter(({ name }) => roots.has(name)))
  for (const target of affected) {
    for (const resource of resources) {
      if (cascadingFields(resource).some(({ to }) => membersOf(to).includes(target))) affected.add(resource)
    }
  }
  return affected
}

/** Whether a type leads to itself. */
function isCyclic(fields: readonly ReferenceField[]): boolean {
  const reaches = (from: Resource, wanted: Resource, seen = new Set<Resource>()): boolean =>
    fields
      .filter(({ owner }) => owner === from)
      .flatMap(({ to }) => membersOf(to))
      .some((target) => {
        if (target === wanted) return true
        if (seen.has(target)) return false
        seen.add(target)
        return reaches(target, wanted, seen)
      })
  return fields.some(({ owner }) => reaches(owner, owner))
}
