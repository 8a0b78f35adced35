// What the rules say about something that the user can't do with a row, or with any row of a type. It is loaded when somebody asks.

import { client } from '../api/client.ts'
import { model, type TypeModel } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { type AccessAnswer, readAccess } from './access.ts'
import { isOfKind } from './viewer-kind.ts'
import { whyTexts } from './why-texts.ts'

export interface RowQuestion {
  type: TypeModel
  row: Row
  action: AccessAnswer['action']
  field: string | null
  /** The next state, if this is about one transition. */
  to?: string
}

export async function askRow({ type, row, action, field, to = '' }: RowQuestion): Promise<string> {
  const { answers } = await readAccess(type, row, null)
  const about = answers.filter((one) => one.action === action && one.field === field)
  const found = to === '' ? about : about.filter((one) => one.to === to)
  return [...new Set(found.map(({ because }) => because))].join(' ') || whyTexts.noRule
}

/** About rows that are not there, and calls: no row can be judged, so the answer has the rules of the access matrix. */
export interface RulesQuestion {
  /** The name of a type; of custom operations `Query` or `Mutation`. */
  type: string
  actions: readonly ('READ' | 'CREATE' | 'UPDATE' | 'DELETE' | 'CALL')[]
  /** A field, or a custom operation. Null: the whole row. */
  field?: string | null
}

interface MatrixEntry {
  action: string
  field: string | null
  viewer: string
  allowed: 'ALWAYS' | 'WHERE' | 'NEVER'
  when: string
  rules: readonly { rule: string; place: string }[]
}

export async function askRules({ type, actions, field = null }: RulesQuestion): Promise<string> {
  const { data } = await client.rest.get<{ viewers: string[]; entries: MatrixEntry[] }>(`/docs/access?type=${type}`)
  const { viewers, entries } = data!
  const users = entries.filter(({ viewer }) => isOfKind(model.value!.viewer, viewer, viewers))
  const isOwn = users.some((entry) => entry.field === field && actions.some((action) => action === entry.action))
  const own = users.filter((entry) => entry.field === (isOwn ? field : null)) // a field without rules follows its type
  const lines = actions.flatMap((action) => {
    const entries = own.filter((entry) => entry.action === action)
    const prefix = actions.length === 1 ? '' : `${action}: `
    return entries.flatMap(({ when, rules }) => [prefix + when, ...rules.map(({ rule, place }) => `${place} ${rule}`)])
  })
  if (actions.includes('CALL') && own.some(({ allowed }) => allowed === 'ALWAYS')) lines.unshift(whyTexts.codeRefused)
  return lines.length === 0 ? whyTexts.noRule : [...new Set(lines)].join(' · ')
}
