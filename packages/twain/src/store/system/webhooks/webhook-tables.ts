// The tables of webhooks and deliveries, the same on both databases. `webhook-store.ts` describes them. None of them is in the
// change log.
//
// A delivery stores no data of the row: Twain reads the change log at each attempt, as the webhook's owner may see it then.

export const webhookColumns = [
  'id',
  'url',
  'events', // a JSON list
  'filter', // JSON
  'secret',
  'active', // 1 or 0
  'paused', // why Twain paused it
  'account', // of the owner; with the roles at the time when it became the owner (a JSON list), or an API key
  'roles',
  'machine_key',
  'version',
  'created',
  'changed',
  'cursor', // epoch:position of the change log: every matching change up to it is in twain_job
  'feeder', // the node that reads the log for it, and the end of its lease
  'feeding',
] as const

/** `text` is the SQL type of texts that sort by code point, `whole` that of integers; `kind` is appended to each table. */
export function webhookTables({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_webhook (
  id ${text} PRIMARY KEY,
  url ${text} NOT NULL,
  events ${text} NOT NULL,
  filter ${text},
  secret ${text} NOT NULL,
  active ${whole} NOT NULL,
  paused ${text},
  account ${text},
  roles ${text} NOT NULL,
  machine_key ${text},
  version ${whole} NOT NULL,
  created ${text} NOT NULL,
  changed ${text} NOT NULL,
  cursor ${text} NOT NULL,
  feeder ${text},
  feeding ${text}
)${kind};
-- earlier builds stored "log:position:checksum"
UPDATE twain_webhook SET cursor = (SELECT id FROM twain_epoch WHERE n = 0) || ':' || substr(cursor, 10, length(cursor) - 18)
  WHERE cursor LIKE '%:%:%'`
}

/** Earlier builds had a table of deliveries. They move into the queue, and the table is dropped. */
export const moveDeliveries = `
INSERT INTO twain_job (id, kind, name, lane, payload, state, created, due, until, finished, attempts)
  SELECT id, 'delivery', webhook, CASE WHEN again = 1 THEN NULL ELSE 'delivery:' || webhook || ':' || subject END,
    '{"position":' || position || ',"type":"' || type || '"}',
    CASE state WHEN 'pending' THEN 'waiting' WHEN 'delivered' THEN 'done' WHEN 'dropped' THEN 'cancelled' ELSE state END,
    created, due, until, finished, attempts
  FROM twain_delivery ORDER BY position ON CONFLICT DO NOTHING;
DROP TABLE twain_delivery`
