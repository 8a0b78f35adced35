// What stands in the editors: from the address, else from this tab, else an example.

import { signal } from '@preact/signals'
import { address, linkTo, replaceAddress } from '../address/address.ts'
import { model } from '../api/model.ts'
import { graphqlTwin } from '../twin/graphql-twin.ts'
import { variablesWithoutSecrets, withoutSecrets } from './secrets.ts'

export interface QueryDraft {
  query: string
  variables: string
}

const storageKey = 'twain.query'

export const draft = signal<QueryDraft>({ query: '', variables: '' })
/** Counts the drafts that did not come from the editors. */
export const draftRevision = signal(0)

/** Where the page is opened. The address then loses its document, so that a reload keeps what was written. */
export function openDraft(): void {
  const parameters = new URLSearchParams(address.value.query)
  const query = parameters.get('query')
  if (query !== null) {
    replaceDraft({ query, variables: parameters.get('variables') ?? '' })
    replaceAddress(address.value.steps)
  } else if (draft.value.query === '') draft.value = readStored() ?? exampleDraft()
}

/** From the history, or formatted. */
export function replaceDraft(next: QueryDraft): void {
  keepDraft(next)
  draftRevision.value += 1
}

export function keepDraft(change: Partial<QueryDraft>): void {
  draft.value = { ...draft.value, ...change }
  const { query, variables } = draft.value
  sessionStorage.setItem(
    storageKey,
    JSON.stringify({ query: withoutSecrets(query), variables: variablesWithoutSecrets(variables) }),
  )
}

export function draftLink(step: string): string {
  const { query, variables } = draft.value
  return queryLink(step, withoutSecrets(query), variablesWithoutSecrets(variables))
}

function queryLink(step: string, query: string, variables: string): string {
  const parameters = new URLSearchParams({ query, ...(variables.trim() !== '' && { variables }) })
  return location.origin + linkTo([step], String(parameters))
}

function readStored(): QueryDraft | null {
  const text = sessionStorage.getItem(storageKey)
  return text === null ? null : (JSON.parse(text) as QueryDraft)
}

/** The first rows of the first type. */
function exampleDraft(): QueryDraft {
  const type = model.value!.types.find(({ kind }) => kind === 'rows')
  const twin = type === undefined ? null : graphqlTwin({ ...noRequest, method: 'GET', target: `/${type.path}?limit=5` })
  if (twin === null) return { query: '{\n  __typename\n}\n', variables: '' }
  return { query: `${twin.query}\n`, variables: JSON.stringify(twin.variables, null, 2) }
}

const noRequest = {
  number: 0,
  headers: {},
  body: null,
  status: 0,
  duration: 0,
  serverTiming: null,
  id: null,
  isRecorded: false,
}
