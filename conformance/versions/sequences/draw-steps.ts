// Draws the steps of a sequence for a chain: what happens to the nodes, and what clients do through them.

import type { Random } from '../../fuzz/random.ts'
import type { Chain, FieldSketch, Plain, TypeSketch } from './chain.ts'
import { drawPlain, words } from './draw-chain.ts'
import type { Api, SlotValues, Step } from './step.ts'

export const rowSlots = ['a', 'b', 'c']
const fileSlots = ['p', 'q', 'r', 's']
const apis: readonly Api[] = ['rest', 'graphql']

/** How often each kind of step is drawn. */
const weights: Record<Step['do'], number> = {
  start: 9,
  stop: 3,
  write: 34,
  link: 5,
  delete: 10,
  retake: 2,
  read: 6,
  search: 7,
  events: 3,
  filter: 3,
  follow: 3,
  wait: 5,
  copy: 1,
  backup: 1,
}
const kinds = Object.entries(weights).flatMap(([kind, weight]) => Array<Step['do']>(weight).fill(kind as Step['do']))

export function drawSteps(random: Random, chain: Chain, nodes: number): Step[] {
  const drawn = Array.from({ length: random.between(18, 30) }, () => drawStep(random, chain, nodes))
  // The newest version comes in early, so that the others meet what it wrote.
  const newest: Step = { do: 'start', node: random.between(0, nodes - 1), version: chain.versions - 1, isSwap: false }
  return drawn.toSpliced(random.between(2, 6), 0, newest)
}

function drawStep(random: Random, chain: Chain, nodes: number): Step {
  const kind = random.one(kinds)
  const node = random.between(0, nodes - 1)
  const api = random.one(apis)
  const type = random.one(chain.types)
  const slot = random.one(rowSlots)
  switch (kind) {
    case 'start':
      return { do: kind, node, version: random.between(0, chain.versions - 1), isSwap: random.chance(0.4) }
    case 'stop':
      return { do: kind, node }
    case 'write': {
      const all = random.chance(0.3)
      return { do: kind, node, api, type: type.name, slot, all, values: drawValues(random, type, all) }
    }
    case 'link': {
      const links = type.fields.filter((field) => field.kind === 'links')
      if (links.length === 0) return { do: 'read', node, api, type: type.name }
      const field = random.one(links).name
      return { do: kind, node, type: type.name, slot, field, other: random.one(rowSlots), isAdded: random.chance(0.7) }
    }
    case 'delete':
      return { do: kind, node, api, type: type.name, slot }
    case 'retake':
      return { do: kind, node, api, type: type.name, values: drawValues(random, type, true) }
    case 'read':
    case 'follow':
      return { do: kind, node, api, type: type.name }
    case 'search':
      return { do: kind, node, api, type: type.name, word: random.one(words) }
    case 'filter': {
      const scalars = type.fields.filter((field) => field.kind === 'scalar')
      if (scalars.length === 0) return { do: 'events', node }
      const field = random.one(scalars)
      const value = field.default !== null && random.chance(0.4) ? field.default : drawPlain(random, field.type)
      return { do: kind, node, type: type.name, field: field.name, value }
    }
    case 'copy':
      return { do: kind, to: random.one(['sqlite', 'postgres']) }
    case 'events':
      return { do: kind, node }
    case 'wait':
    case 'backup':
      return { do: kind }
  }
}

/** Of every field, or of some and those that are required. */
function drawValues(random: Random, { name, fields }: TypeSketch, all: boolean): SlotValues {
  const values: SlotValues = {}
  for (const field of fields) {
    const isRequired = 'isRequired' in field && field.isRequired
    if (!all && !isRequired && random.chance(0.45)) continue
    // Both sides of a relation in one write could contradict each other.
    if (field.kind === 'links' && !field.isLeft && field.to === name) continue
    const value = drawValue(random, field, isRequired)
    if (value !== undefined) values[field.name] = value
  }
  return values
}

function drawValue(random: Random, field: FieldSketch, isRequired: boolean): Plain | readonly string[] | undefined {
  switch (field.kind) {
    case 'scalar':
      return !isRequired && random.chance(0.15) ? null : drawPlain(random, field.type)
    case 'reference':
      return !isRequired && random.chance(0.2) ? null : random.one(rowSlots)
    case 'file':
      return !isRequired && random.chance(0.2) ? null : random.one(fileSlots)
    case 'links':
      return some(random, rowSlots)
    case 'files':
      return some(random, fileSlots)
    case 'time':
    case 'children':
      return undefined
  }
}

function some(random: Random, slots: readonly string[]): string[] {
  return slots.filter(() => random.chance(0.4))
}
