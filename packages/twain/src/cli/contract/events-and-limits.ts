// The parts `Events` and `Limits` of the API contract, which depend on the settings.

import type { Model } from '#model'
import { weights } from '#model'
import { channelsOf } from '#model/names'
import { defaultPageSize } from '#plan/build'
import type { Settings } from '../settings/settings.ts'
import { code, numbered, printDuration, table } from './markdown.ts'

/** The settings that the API contract shows. */
export type ContractOptions = Pick<Settings, 'limits' | 'http' | 'events' | 'webhooks' | 'auth'>

export function eventsPart(
  { resources }: Model,
  { events, webhooks }: Pick<ContractOptions, 'events' | 'webhooks'>,
): string {
  const rows = resources.map((resource) => {
    const { name, single, path } = resource
    const kinds = ['created', 'updated', 'deleted']
    return [
      name,
      kinds.map((kind) => code(`${single}.${kind}`)).join(', '),
      ['Created', 'Updated', 'Deleted', 'Changed'].map((kind) => code(`${single}${kind}`)).join(', '),
      ['id', ...channelsOf(resource).map((field) => field.name)].map(code).join(', '),
      code(`/changes?resource=${path}`),
    ]
  })
  return [
    table(['Resource', 'Kinds', 'Subscriptions', 'Channels (arguments)', 'Feed'], rows),
    'Payload: a CloudEvent 1.0 in the feed, in event streams and in webhooks; in a subscription the selected fields, with the cursor in `extensions.cursor`:\n',
    `\`\`\`json\n{"specversion": "1.0", "id": "<cursor>", "source": "/${resources[0]?.path ?? 'things'}", "type": "${resources[0]?.single ?? 'thing'}.updated", "subject": "<row id>", "time": "2026-01-31T09:30:00.000Z", "version": 2, "data": {"id": "<row id>"}}\n\`\`\`\n`,
    '`data` is the default representation after the change, without fields that the viewer may not read; after a delete only the id.\n',
    numbered([
      'Subscriptions: WebSocket at `/graphql` (`graphql-transport-ws`) or GraphQL over SSE, one payload for each event, shaped by the selection set.',
      'Polling and streams: `GET /changes` (`first`, `after`, `resource`; `Prefer: wait=20` is a long poll), and Server-Sent Events with `Accept: text/event-stream`, which resume by `Last-Event-ID`.',
      `Webhooks: \`/webhooks\` (role \`admin\`), signed by Standard Webhooks, retried with exponential backoff for ${printDuration(webhooks.retryWindowSeconds)}; \`/webhooks/{id}/deliveries\` lists every attempt.`,
      'Delivery: at least once to every viewer that may read the change, in commit order for each row, across reconnects, restarts and nodes; no duplicates within one connection and its resumes.',
      `A cursor is valid in the feed, in streams and in subscriptions. Changes are retained for ${printDuration(events.retentionSeconds)}; an older cursor is a 410 \`GONE\`.`,
      'Access is checked for each event: a row that the viewer may no longer read appears as a delete, and one that it could never read does not appear.',
    ]),
  ].join('\n')
}

export function limitsPart({ limits, http }: ContractOptions): string {
  const value = (limit: number, unit = '') => (limit === 0 ? 'none' : `${limit}${unit}`)
  return [
    'Both APIs enforce these limits where they apply. Each is a setting (`limits.depth` is `--limits-depth` and `TWAIN_LIMITS_DEPTH`); the values are those of this configuration.\n',
    table(
      ['Limit', 'Value', 'Notes'],
      [
        [
          'Query depth (`limits.depth`)',
          value(limits.depth),
          'nested selection sets; `fields=` of REST too; `QUERY_TOO_DEEP`',
        ],
        ['Cost: maximumCost (`limits.cost`)', value(limits.cost), '`QUERY_TOO_COSTLY`'],
        ['Cost: scalarCost', String(weights.scalar), 'each scalar field without `@cost(weight)`'],
        ['Cost: objectCost', String(weights.object), 'each object field'],
        [
          'Cost: listFactor',
          String(weights.list),
          'at most: a list multiplies the cost of its field and of all fields below by its page size',
        ],
        [
          'Cost: aggregates',
          `${weights.aggregate} or ${weights.scan}`,
          `more, also for \`distinct\`: ${weights.scan} where the store reads all rows, ${weights.aggregate} with an index`,
        ],
        ['Page size (`limits.page`)', value(limits.page, ' rows'), `default ${defaultPageSize}; more is a 400`],
        ['Body (`limits.bodyBytes`)', value(limits.bodyBytes, ' bytes'), '413'],
        [
          'Rows in portions (`limits.importBytes`)',
          value(limits.importBytes, ' bytes'),
          'the body of `POST` with `Prefer: handling=lenient`; 413',
        ],
        ['Upload (`limits.uploadBytes`)', value(limits.uploadBytes, ' bytes'), '413'],
        ['GraphQL batch (`limits.batch`)', value(limits.batch, ' operations'), '400'],
        [
          'Transaction (`limits.transaction`)',
          value(limits.transaction, ' operations'),
          '`/batch`, `@transaction`, arrays, JSON patches; 400',
        ],
        [
          'Rows that go with a delete (`limits.cascade`)',
          value(limits.cascade, ' rows'),
          '409 `CASCADE`, or 202 with `Prefer: respond-async`: the server deletes them after the response',
        ],
        ['Document (`limits.documentTokens`)', value(limits.documentTokens, ' tokens'), '`GRAPHQL_PARSE_FAILED`'],
        ['Time of a request (`limits.timeSeconds`)', value(limits.timeSeconds, ' s'), '503 with `Retry-After`'],
        ['Time of custom code (`limits.codeSeconds`)', value(limits.codeSeconds, ' s'), '503'],
        [
          'Requests (`limits.requestsPerMinute`)',
          value(http.requestsPerMinute, ' a minute'),
          'for each viewer or address, on each node; 429 with `Retry-After`; `RateLimit` on every response but those of `/`, `/healthz`, `/readyz` and `/metrics`',
        ],
        ['URL (`limits.urlBytes`)', value(http.urlBytes, ' bytes'), '414'],
        ['Header (`limits.headerBytes`)', value(http.headerBytes, ' bytes'), '431'],
        ['Client query batching interval', '10 ms', 'client option of `@twain/client`, at most 10 operations'],
      ],
    ),
  ].join('\n')
}
