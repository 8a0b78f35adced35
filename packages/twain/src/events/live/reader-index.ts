// Finds the readers that a change may concern: by its type, its row and the rows that it references. A change in one channel
// does not touch readers of other channels. Readers with equal interests form a group: the hub projects a change once for it.

import type { ReferenceField, Resource } from '#model'
import type { ChangeRecord } from '#store'
import type { EventChannel, Interest } from '../feed/interest.ts'
import type { LiveReader } from './event-reader.ts'

export interface ReaderGroup {
  /** The interest that all its readers share. */
  interest: Interest
  readers: Set<LiveReader>
}

interface ResourceReaders {
  /** By the key of the interest. */
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

  add(liveReader: LiveReader): void {
    this.#size++
    for (const [resource, interest] of liveReader.reader.interests) {
      const groups = this.#groups(resource, interest.channel)
      const key = keyOf(interest)
      const group = groups.get(key) ?? { interest, readers: new Set() }
      groups.set(key, group)
      group.readers.add(liveReader)
    }
  }

  delete(liveReader: LiveReader): void {
    this.#size--
    for (const [resource, interest] of liveReader.reader.interests) {
      const groups = this.#groups(resource, interest.channel)
      const key = keyOf(interest)
      const group = groups.get(key)
      group?.readers.delete(liveReader)
      if (group?.readers.size === 0) groups.delete(key)
      if (groups.size === 0) this.#removeChannel(resource, interest.channel)
    }
  }

  readers(): Set<LiveReader> {
    const found = new Set<LiveReader>()
    for (const { all, byRow, byReference } of this.#resources.values()) {
      const maps = [all, ...byRow.values(), ...[...byReference.values()].flatMap((ids) => [...ids.values()])]
      for (const groups of maps)
        for (const { readers: members } of groups.values()) for (const one of members) found.add(one)
    }
    return found
  }

  /** `referencedIds` returns the ids that the row references by a field, after the change and before it. */
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
    if (channel.kind === 'row') return groupsAt(index.byRow, channel.id)
    const byId = index.byReference.get(channel.field) ?? new Map<string, Map<string, ReaderGroup>>()
    index.byReference.set(channel.field, byId)
    return groupsAt(byId, channel.id)
  }

  #removeChannel(resource: Resource, channel: EventChannel | null): void {
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

function groupsAt(maps: Map<string, Map<string, ReaderGroup>>, key: string): Map<string, ReaderGroup> {
  const groups = maps.get(key) ?? new Map<string, ReaderGroup>()
  maps.set(key, groups)
  return groups
}

function keyOf({ subscription: watching, kinds, key }: Interest): string {
  return `${watching.key}\n${[...kinds].join()}\n${key}`
}
