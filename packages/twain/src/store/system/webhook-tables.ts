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
  'cursor', // epoch:position of the change log: every matching change up to it is in twain_delivery
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
CREATE TABLE IF NOT EXISTS twain_delivery (
  id ${text} PRIMARY KEY, -- of the message: the same for every attempt
  webhook ${text} NOT NULL,
  position ${whole} NOT NULL, -- of the change in the log
  subject ${text} NOT NULL, -- the row: deliveries of one row go out one after the other
  type ${text} NOT NULL,
  created ${text} NOT NULL,
  due ${text} NOT NULL, -- when the next attempt may be made
  until ${text} NOT NULL, -- when Twain gives it up
  state ${text} NOT NULL, -- pending, delivered, failed or dropped
  finished ${text},
  again ${whole} NOT NULL, -- 1: a client sent it again, so that it has no place in the order
  holder ${text}, -- the node that is sending it, and the end of its lease
  held ${text},
  attempts ${text} NOT NULL -- a JSON list
)${kind};
CREATE INDEX IF NOT EXISTS twain_delivery_webhook ON twain_delivery (webhook, position);
CREATE INDEX IF NOT EXISTS twain_delivery_pending ON twain_delivery (webhook, position) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS twain_delivery_subject ON twain_delivery (webhook, subject, position) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS twain_delivery_finished ON twain_delivery (finished) WHERE finished IS NOT NULL;
-- earlier builds stored "log:position:checksum"
UPDATE twain_webhook SET cursor = (SELECT id FROM twain_epoch WHERE n = 0) || ':' || substr(cursor, 10, length(cursor) - 18)
  WHERE cursor LIKE '%:%:%'`
}
