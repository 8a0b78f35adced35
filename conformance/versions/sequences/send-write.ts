// The requests that create, change or replace a row, in both APIs.

import { listName, type TypeSketch } from './chain.ts'
import { selection } from './compare-rows.ts'
import type { Answer, VersionNode } from './node.ts'
import type { Row } from './oracle.ts'
import type { Api } from './step.ts'

/** Without a row it creates one: under `newId` if the request has `all` fields, else the server assigns its id. */
export function sendWrite(
  { api, all }: { api: Api; all: boolean },
  node: VersionNode,
  type: TypeSketch,
  row: Row | undefined,
  newId: string,
  sent: object,
): Promise<Answer> {
  const id = row?.id ?? newId
  if (api === 'rest') {
    const list = `/${listName(type)}`
    if (all) return node.rest('PUT', `${list}/${id}`, sent)
    return row === undefined ? node.rest('POST', list, sent) : node.rest('PATCH', `${list}/${id}`, sent)
  }
  const { name } = type
  const shown = selection(type)
  if (!all && row === undefined) {
    return node.graphql(`mutation ($input: Create${name}Input!) { create${name}(input: $input) ${shown} }`, {
      input: sent,
    })
  }
  const [action, input] = all ? [`replace${name}`, `Create${name}Input`] : [`update${name}`, `Update${name}Input`]
  const query = `mutation ($id: ID!, $input: ${input}!) { ${action}(id: $id, input: $input) ${shown} }`
  return node.graphql(query, { id, input: sent })
}
