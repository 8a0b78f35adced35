// Which webhooks filter by a field. Their filters are rows of the service, so the schema file does not have them.

import { signal } from '@preact/signals'
import { typeNamed } from '../api/model.ts'
import { readRowsUpTo } from '../api/read-rows.ts'
import { maxListed } from '../operations/use-request.ts'
import { filteredFields } from './filtered-fields.ts'
import type { Schema } from './schema-data.ts'

interface FilteringWebhook {
  id: string
  url: string
  /** Of one type, if there is a filter: `post.created`. */
  events: readonly string[]
  where: unknown
}

/** By path: `Post.title`. */
export const webhookFilters = signal<ReadonlyMap<string, readonly FilteringWebhook[]>>(new Map())

export async function refreshWebhookFilters(schema: Schema): Promise<void> {
  if (typeNamed('Webhook') === undefined) return
  const { rows } = await readRowsUpTo<FilteringWebhook>(maxListed, 'webhooks', 'fields=id,url,events,where')
  const found = rows.flatMap((webhook) => {
    const [of = ''] = webhook.events[0]?.split('.') ?? []
    const type = schema.types.find(({ name }) => name.charAt(0).toLowerCase() + name.slice(1) === of)
    const paths = type === undefined ? [] : [...new Set(filteredFields(schema, type.name, webhook.where))]
    return paths.map((path) => ({ path, webhook }))
  })
  const byPath = Map.groupBy(found, ({ path }) => path)
  webhookFilters.value = new Map([...byPath].map(([path, some]) => [path, some.map(({ webhook }) => webhook)]))
}
