// The selections of a connection: its edges, its page info and its total count.

import type { ConnectionSelection, CountOptions, EdgeSelection, PageInfoSelection, TypeSelection } from '#plan'
import { type SelectionSets, subselections } from '../document/selection.ts'
import type { FieldArguments, PlanContext } from './plan-context.ts'

/** `type` is the name of the row type; `rows` plans the selections of the rows. */
export function planConnection(
  type: string,
  selections: SelectionSets,
  context: PlanContext,
  place: string,
  rows: (selections: SelectionSets, place: string) => TypeSelection[],
): ConnectionSelection[] {
  return context
    .collect(selections, (name) => name === `${type}Connection`)
    .map((field): ConnectionSelection => {
      const { key, name } = field
      switch (name) {
        case 'edges':
          return { kind: 'edges', key, selections: planEdges(subselections(field), `${place}.${key}`) }
        case 'pageInfo':
          return { kind: 'pageInfo', key, selections: planPageInfo(subselections(field), context) }
        case 'totalCount':
          return { kind: 'totalCount', key, ...planEstimate(context.argumentsOf(field.node, `${type}Connection`)) }
        default:
          return { kind: 'constant', key, value: `${type}Connection` }
      }
    })

  function planEdges(inner: SelectionSets, edges: string): EdgeSelection[] {
    return context
      .collect(inner, (name) => name === `${type}Edge`)
      .map((field): EdgeSelection => {
        const { key, name } = field
        if (name === 'node') return { kind: 'node', key, types: rows(subselections(field), `${edges}.${key}`) }
        return name === 'cursor' ? { kind: 'cursor', key } : { kind: 'constant', key, value: `${type}Edge` }
      })
  }
}

/** `totalCount(estimate: true)`. */
function planEstimate(args: FieldArguments): CountOptions {
  return args.value('estimate') === true ? { isEstimated: true } : {}
}

export function planPageInfo(selections: SelectionSets, context: PlanContext): PageInfoSelection[] {
  return context
    .collect(selections, (name) => name === 'PageInfo')
    .map(({ key, name }): PageInfoSelection => {
      switch (name) {
        case 'hasNextPage':
        case 'hasPreviousPage':
        case 'startCursor':
        case 'endCursor':
          return { kind: name, key }
        default:
          return { kind: 'constant', key, value: 'PageInfo' }
      }
    })
}
