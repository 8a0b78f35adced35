// Which readers a change may concern: found by its type, by its row and by the rows that it refers to, so that a change in one
// channel does not touch the readers of the others. Readers who ask the same are one group: what is told is found out once.

import type { ReferenceField, Resource } from '#model'
import type { ChangeRecord } from '#store'
import type { EventChannel, Interest } from '../feed/interest.ts'
import type { LiveReader } from './event-reader.ts'

export interface ReaderGroup {
  /** That of any of them: they are the same. */
  interest: Interest
  readers: Set<LiveReader>
}

interface ResourceReaders {
  /** By the key of their interest. */
  all: Map<string, ReaderGroup>
  byRow: Map<string, Map<string, ReaderGroup>>
  byReference: Map<ReferenceField, Map<string, Map<string, ReaderGroup>>>
}

export class ReaderIndex {
  readonly #resources = new Map<Resource, ResourceReaders>()
  #size = 0

  get size(): number {
    return this.#size
  }

  add(member: LiveReader): void {
    this.#size++
    for (const [resource, interest] of member.reader.interests) {
      const groups = this.#groups(resource, interest.channel)
      const key = keyOf(interest)
      const group = groups.get(key) ?? { interest, readers: new Set() }
      groups.set(key, group)
      group.readers.add(member)
    }
  }

  delete(member: LiveReader): void {
    this.#size--
    for (const [resource, interest] of member.reader.interests) {
      const groups = this.#groups(resource, interest.channel)
      const key = keyOf(interest)
      const group = groups.get(key)
      group?.readers.delete(member)
      if (group?.readers.size === 0) groups.delete(key)
      if (groups.size === 0) this.#forget(resource, interest.channel)
    }
  }

  members(): Set<LiveReader> {
    const found = new Set<LiveReader>()
    for (const { all, byRow, byReference } of this.#resources.values()) {
      const maps = [all, ...byRow.values(), ...[...byReference.values()].flatMap((ids) => [...ids.values()])]
      for (const groups of maps)
        for (const { readers: members } of groups.values()) for (const one of members) found.add(one)
    }
    return found
  }

  /** `referred` gives the ids that the row refers to by a field, after the change and before it. */
  match(
    resource: Resource,
    { id }: ChangeRecord,
    referred: (field: ReferenceField) => Iterable<string>,
  ): Set<ReaderGroup> {
    const found = new Set<ReaderGroup>()
    const index = this.#resources.get(resource)
    if (index === undefined) return found
    const add = (groups: Map<string, ReaderGroup> | undefined) => {
      for (const group of groups?.values() ?? []) found.add(group)
    }
    add(index.all)
    add(index.byRow.get(id))
    for (const [field, byId] of index.byReference) for (const other of referred(field)) add(byId.get(other))
    return found
  }

  #groups(resource: Resource, channel: EventChannel | null): Map<string, ReaderGroup> {
    const index = this.#resources.get(resource) ?? { all: new Map(), byRow: new Map(), byReference: new Map() }
    this.#resources.set(resource, index)
    if (channel === null) return index.all
    if (channel.kind === 'row') return inside(index.byRow, channel.id)
    const byId = index.byReference.get(channel.field) ?? new Map<string, Map<string, ReaderGroup>>()
    index.byReference.set(channel.field, byId)
    return inside(byId, channel.id)
  }

  #forget(resource: Resource, channel: EventChannel | null): void {
    const index = this.#resources.get(resource)
    if (index === undefined || channel === null) return
    if (channel.kind === 'row') {
      index.byRow.delete(channel.id)
      return
    }
    const byId = index.byReference.get(channel.field)
    byId?.delete(channel.id)
    if (byId?.size === 0) index.byReference.delete(channel.field)
  }
}

function inside(maps: Map<string, Map<string, ReaderGroup>>, key: string): Map<string, ReaderGroup> {
  const known = maps.get(key) ?? new Map<string, ReaderGroup>()
  maps.set(key, known)
  return known
}

function keyOf({ subscription: watching, kinds, key }: Interest): string {
  return `${watching.key}\n${[...kinds].join()}\n${key}`
}
