// `_changes` of a row → HistoryRead: its page, and what is selected of its entries.

import type { Resource } from '#model'
import type { EntrySelection, FieldChangeSelection, HistoryEdgeSelection, HistoryRead, HistorySelection } from '#plan'
import { defaultPageSize, planHistory } from '#plan/build'
import { type SelectedField, type SelectionSets, subselections } from '../document/selection.ts'
import { planPageInfo } from './plan-connection.ts'
import type { PlanContext } from './plan-context.ts'

/** The field with the history, on each type whose changes are logged. */
export const historyField = '_changes'

export function planHistoryField(
  of: Resource,
  selected: SelectedField,
  context: PlanContext,
  place: string,
): HistoryRead {
  const args = context.argumentsOf(selected.node, of.name)
  const first = args.leaf('first')
  const page = { first: first === undefined ? defaultPageSize : first, after: args.leaf('after') }
  const selections = connection(subselections(selected), context)
  return planHistory(of, page, selections, context.builder, { first: `${place}.first`, after: `${place}.after` })
}

function connection(selections: SelectionSets, context: PlanContext): HistorySelection[] {
  return context
    .collect(selections, (name) => name === 'RowChangeConnection')
    .map((field): HistorySelection => {
      const { key, name } = field
      if (name === 'edges') return { kind: 'edges', key, selections: edges(subselections(field), context) }
      if (name === 'pageInfo') return { kind: 'pageInfo', key, selections: planPageInfo(subselections(field), context) }
      return { kind: 'constant', key, value: 'RowChangeConnection' }
    })
}

function edges(selections: SelectionSets, context: PlanContext): HistoryEdgeSelection[] {
  return context
    .collect(selections, (name) => name === 'RowChangeEdge')
    .map((field): HistoryEdgeSelection => {
      const { key, name } = field
      if (name === 'node') return { kind: 'node', key, selections: entry(subselections(field), context) }
      return name === 'cursor' ? { kind: 'cursor', key } : { kind: 'constant', key, value: 'RowChangeEdge' }
    })
}

function entry(selections: SelectionSets, context: PlanContext): EntrySelection[] {
  return context
    .collect(selections, (name) => name === 'RowChange')
    .map((field): EntrySelection => {
      const { key, name } = field
      switch (name) {
        case 'kind':
        case 'version':
        case 'time':
        case 'by':
        case 'via':
          return { kind: name, key }
        case 'changed':
          return { kind: 'changed', key, selections: fieldChange(subselections(field), context) }
        default:
          return { kind: 'constant', key, value: 'RowChange' }
      }
    })
}

function fieldChange(selections: SelectionSets, context: PlanContext): FieldChangeSelection[] {
  return context
    .collect(selections, (name) => name === 'FieldChange')
    .map(({ key, name }): FieldChangeSelection => {
      if (name === 'field' || name === 'before' || name === 'after') return { kind: name, key }
      return { kind: 'constant', key, value: 'FieldChange' }
    })
}
