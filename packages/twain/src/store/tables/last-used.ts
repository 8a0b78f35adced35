// When what a contract has was last used, and by whom: told beside what a new contract would take away.

import type { Model } from '#model'

export interface LastUse {
  /** The last day; null where it was never asked for by its name, but only stood in whole rows. */
  asked: string | null
  given: string | null
  /** Those who asked, or where nobody did, those who were given it; the latest first. */
  clients: string[]
}

export interface LastUses {
  /** The first day that is counted; null where none is. */
  since: string | null
  of: ReadonlyMap<string, LastUse>
}

/** A sentence about what a difference between contracts is about; empty where nothing is known of that. */
export function describeLastUse(path: string, { since, of }: LastUses, before: Model): string {
  const [counted = path] = path.split(/[+(]/)
  const use = of.get(counted)
  if (use === undefined) {
    return since !== null && isCounted(counted, before) ? `Nobody used it since ${since}, when counting began.` : ''
  }
  const by = listClients(use.clients)
  if (use.asked !== null) return `Last asked for on ${use.asked} by ${by}.`
  return `Last given in whole rows on ${use.given} to ${by}; nobody asked for it by name.`
}

const maxNamedClients = 3

function listClients(clients: readonly string[]): string {
  const more = clients.length - maxNamedClients
  return `${clients.slice(0, maxNamedClients).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** What is inside values that are written, arguments and enum values are not counted. */
function isCounted(path: string, { types, operations }: Model): boolean {
  const [typeName = '', fieldName] = path.split('.')
  if (operations.some(({ root, name }) => root === typeName && name === fieldName)) return true
  const type = types.get(typeName)
  if (type?.kind !== 'resource' && type?.kind !== 'abstract') return false
  return fieldName === undefined || type.fields.has(fieldName) || type.computed.has(fieldName)
}
