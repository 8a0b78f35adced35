// Cells that read the feed from its start: every event shows only what the rules show of the row as it is now (docs/reference/events.md,
// R124), and a readable row has an event that shows it.

import type { Field } from '../../../packages/twain/src/model/index.ts'
import { ReferenceRules } from '../reference-rules.ts'
import { withoutType } from '../rows-in-memory.ts'
import type { RulesFixture } from '../rules-fixture.ts'
import type { CellsOutcome } from './run-cells.ts'

interface FeedPage {
  edges: { node: { type: string; subject: string; data: Record<string, unknown> } }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
}

export async function runEvents({ apis, rows: world, viewers, schema }: RulesFixture): Promise<CellsOutcome> {
  const outcome: CellsOutcome = { cells: 0, differences: [] }
  for (const { name, viewer } of viewers) {
    const reference = new ReferenceRules(world, viewer)
    const shown = new Set<string>()
    for (const event of await readFeed(apis.as(viewer).rest)) {
      outcome.cells++
      const { type, data } = event
      if (type.endsWith('.deleted')) continue
      const of = world.model.resources.find(({ single }) => type.startsWith(`${single}.`))!
      const spot = world.find(of, data.id)
      const tell = (what: string) =>
        outcome.differences.push(`${schema.name}: ${name} is told ${what}: ${JSON.stringify(event)}`)
      if (spot === undefined || !reference.may('READ', spot)) {
        tell('of a row that they may not read')
        continue
      }
      shown.add(`${of.name} ${spot.row.id}`)
      for (const key of Object.keys(data)) {
        const field = of.fields.get(key)
        if (field === undefined) continue
        if (!reference.shows(field, spot)) tell(`the field ${key}`)
        else if (!mayFollow(reference, field, data[key])) tell(`of the row behind ${key}`)
      }
    }
    for (const of of world.model.resources) {
      for (const spot of world.spots(of)) {
        outcome.cells++
        const isMissing = reference.may('READ', spot) && !shown.has(`${of.name} ${spot.row.id}`)
        if (isMissing) outcome.differences.push(`${schema.name}: ${name} is never told of ${of.name} ${spot.row.id}`)
      }
    }
  }
  return outcome
}

function mayFollow(reference: ReferenceRules, field: Field, id: unknown): boolean {
  if (field.kind !== 'reference' || id === null) return true
  const target = reference.world.find(field.to, withoutType(id))
  return target !== undefined && reference.may('READ', target)
}

type Rest = ReturnType<RulesFixture['apis']['as']>['rest']

async function readFeed(rest: Rest): Promise<FeedPage['edges'][number]['node'][]> {
  const events: FeedPage['edges'][number]['node'][] = []
  for (let after = ''; ; ) {
    const { status, body } = await rest('GET', `/changes?first=100${after}`)
    if (status !== 200) return events // a viewer who may read nothing
    const { edges, pageInfo } = body as FeedPage
    events.push(...edges.map(({ node }) => node))
    if (!pageInfo.hasNextPage) return events
    after = `&after=${encodeURIComponent(pageInfo.endCursor)}`
  }
}
