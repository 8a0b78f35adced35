import type { Model } from '#model'
import { channelsOf } from '#model/names'
import type { ContractOptions } from './contract-options.ts'
import { code, numbered, printDuration, table } from './markdown.ts'

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
