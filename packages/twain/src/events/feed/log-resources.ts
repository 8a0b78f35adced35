// The change log and the types that its entries name.

import type { Model, ReferenceField, Resource } from '#model'
import type { ChangeRecord, Store } from '#store'

export interface LogResources {
  readonly logId: string
  /** Null if the schema no longer has the type. */
  resourceOf(name: string): Resource | null
  /** The ids that the row references by a field, after the change and before it. */
  referencedIds(change: ChangeRecord, field: ReferenceField): readonly string[]
}

export function createLogResources(model: Model, store: Pick<Store, 'changes' | 'projector'>): LogResources {
  const byName = new Map(model.resources.map((resource) => [resource.name, resource]))
  return {
    logId: store.changes.log,
    resourceOf: (name) => byName.get(name) ?? null,
    referencedIds: (change, field) => store.projector.referredIds(change, field),
  }
}
