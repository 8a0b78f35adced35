// Finds the readers that a change may concern: by its type, its row and the values of its channels. A change in one channel
// does not touch readers of other channels. Readers with equal interests form a group: the hub projects a change once for it.

import type { Resource } from '#model'
import type { ChannelField } from '#model/names'
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
  byField: Map<ChannelField, Map<string, Map<string, ReaderGroup>>>
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
    for (const { all, byRow, byField } of this.#resources.values()) {
      const maps = [all, ...byRow.values(), ...[...byField.values()].flatMap((values) => [...values.values()])]
      for (const groups of maps)
        for (const { readers: members } of groups.values()) for (const one of members) found.add(one)
    }
    return found
  }

  /** `valuesOf` returns the values of a field, after the change and before it; of a reference, the ids. */
  match(
    resource: Resource,
    { id }: ChangeRecord,
    valuesOf: (field: ChannelField) => Iterable<string>,
  ): Set<ReaderGroup> {
    const found = new Set<ReaderGroup>()
    const index = this.#resources.get(resource)
    if (index === undefined) return found
    const add = (groups: Map<string, ReaderGroup> | undefined) => {
      for (const group of groups?.values() ?? []) found.add(group)
    }
    add(index.all)
    add(index.byRow.get(id))
    for (const [field, byValue] of index.byField) for (const value of valuesOf(field)) add(byValue.get(value))
    return found
  }

  #groups(resource: Resource, channel: EventChannel | null): Map<string, ReaderGroup> {
    const index = this.#resources.get(resource) ?? { all: new Map(), byRow: new Map(), byField: new Map() }
    this.#resources.set(resource, index)
    if (channel === null) return index.all
    if (channel.kind === 'row') return groupsAt(index.byRow, channel.id)
    const byValue = index.byField.get(channel.field) ?? new Map<string, Map<string, ReaderGroup>>()
    index.byField.set(channel.field, byValue)
    return groupsAt(byValue, channel.value)
  }

  #removeChannel(resource: Resource, channel: EventChannel | null): void {
    const index = this.#resources.get(resource)
    if (index === undefined || channel === null) return
    if (channel.kind === 'row') {
      index.byRow.delete(channel.id)
      return
    }
    const byValue = index.byField.get(channel.field)
    byValue?.delete(channel.value)
    if (byValue?.size === 0) index.byField.delete(channel.field)
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
