// The parts `Events` and `Limits` of the API contract, which depend on the settings.

import type { Model } from '#model'
import { channelsOf } from '#model/names'
import { weights } from '#plan'
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
    'Payload: a CloudEvent 1.0, in the feed, in event streams and to webhooks; of a subscription the fields that it selects, with the cursor in `extensions.cursor`:\n',
    `\`\`\`json\n{"specversion": "1.0", "id": "<cursor>", "source": "/${resources[0]?.path ?? 'things'}", "type": "${resources[0]?.single ?? 'thing'}.updated", "subject": "<row id>", "time": "2026-01-31T09:30:00.000Z", "version": 2, "data": {"id": "<row id>"}}\n\`\`\`\n`,
    '`data` is the default representation as of the change, less what the reader may not see; of a delete the id alone.\n',
    numbered([
      'Subscriptions: WebSocket at `/graphql` (`graphql-transport-ws`) or GraphQL over SSE, one payload for each event, shaped by the selection set.',
      'Polling and streams: `GET /changes` (`first`, `after`, `resource`; `Prefer: wait=20` holds the request open), with `Accept: text/event-stream` as Server-Sent Events that resume by `Last-Event-ID`.',
      `Webhooks: \`/webhooks\` (role \`admin\`), signed by Standard Webhooks, tried again with growing pauses for ${printDuration(webhooks.retryWindowSeconds)}; every attempt is at \`/webhooks/{id}/deliveries\`.`,
      'Delivery: every committed change reaches every reader that may see it at least once, in commit order for each row, across reconnects, restarts and nodes; within one connection and its resumes none comes twice.',
      `One cursor resumes everywhere. Changes are kept for ${printDuration(events.retentionSeconds)}; an older cursor is a 410 \`GONE\`, never silence.`,
      'Access is checked for each event: a row that a reader may no longer see appears as a delete, and one that it never could see does not appear.',
    ]),
  ].join('\n')
}

export function limitsPart({ limits, http }: ContractOptions): string {
  const value = (limit: number, unit = '') => (limit === 0 ? 'none' : `${limit}${unit}`)
  return [
    'All of these are enforced, in both APIs where they apply; each is a setting (`limits.depth` is `--limits-depth` and `TWAIN_LIMITS_DEPTH`), and the values are those of this configuration.\n',
    table(
      ['Limit', 'Value', 'Notes'],
      [
        [
          'Query depth (`limits.depth`)',
          value(limits.depth),
          'nested selection sets; `fields=` of REST too; `QUERY_TOO_DEEP`',
        ],
        ['Cost: maximumCost (`limits.cost`)', value(limits.cost), '`QUERY_TOO_COSTLY`'],
        ['Cost: scalarCost', String(weights.scalar), 'each scalar field, unless `@cost(weight)` says another'],
        ['Cost: objectCost', String(weights.object), 'each object field'],
        ['Cost: listFactor', String(weights.list), 'a list multiplies its field and all below'],
        [
          'Page size (`limits.page`)',
          value(limits.page, ' rows'),
          `${defaultPageSize} where none is said; more is a 400`,
        ],
        ['Body (`limits.bodyBytes`)', value(limits.bodyBytes, ' bytes'), '413'],
        ['Upload (`limits.uploadBytes`)', value(limits.uploadBytes, ' bytes'), '413'],
        ['GraphQL batch (`limits.batch`)', value(limits.batch, ' operations'), '400'],
        [
          'Transaction (`limits.transaction`)',
          value(limits.transaction, ' operations'),
          '`/batch`, `@transaction`, arrays, JSON patches; 400',
        ],
        ['Document (`limits.documentTokens`)', value(limits.documentTokens, ' tokens'), '`GRAPHQL_PARSE_FAILED`'],
        ['Time of a request (`limits.timeSeconds`)', value(limits.timeSeconds, ' s'), '503 with `Retry-After`'],
        ['Time of custom code (`limits.codeSeconds`)', value(limits.codeSeconds, ' s'), '503'],
        [
          'Requests (`limits.requestsPerMinute`)',
          value(http.requestsPerMinute, ' a minute'),
          'for each viewer or address, on each node; 429 with `Retry-After`, `RateLimit` on every answer',
        ],
        ['URL (`limits.urlBytes`)', value(http.urlBytes, ' bytes'), '414'],
        ['Header (`limits.headerBytes`)', value(http.headerBytes, ' bytes'), '431'],
        ['Client query batching interval', '10 ms', 'client option of `@twain/client`, at most 10 operations'],
      ],
    ),
  ].join('\n')
}
