// The tables of webhooks: who is told, and what is on its way to them. What they mean is told in webhooks.ts. None of it
// stands in the change log. Both databases take them so.
//
// A delivery holds no row: what it says is read from the change log whenever it is sent, as its maker may see it then.

export const webhookColumns = [
  'id',
  'url',
  'events', // a JSON list
  'filter', // JSON
  'secret',
  'active', // 1 or 0
  'paused', // why we stopped by ourselves
  'account', // who made it: the account, with its roles as of then (a JSON list), or the key
  'roles',
  'machine_key',
  'version',
  'created',
  'changed',
  'cursor', // of the change log: everything up to it is in twain_delivery, or was not wanted
  'feeder', // the node that reads the log for it, and until when
  'feeding',
] as const

export const deliveryColumns = [
  'id', // of the message: the same for every attempt
  'webhook',
  'position', // of the change in the log
  'subject', // the row: those of one row go one after the other
  'type',
  'created',
  'due', // when it may be tried next
  'until', // when it is given up
  'state', // pending, delivered, failed or dropped
  'finished',
  'again', // 1: somebody asked for it once more, so that it has no place in the order
  'holder', // the node that is sending it, and until when
  'held',
  'attempts', // a JSON list
] as const

/** `text` is the type of a text that is ordered by code point, `whole` that of a number; `kind` is said of each table. */
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
  id ${text} PRIMARY KEY,
  webhook ${text} NOT NULL,
  position ${whole} NOT NULL,
  subject ${text} NOT NULL,
  type ${text} NOT NULL,
  created ${text} NOT NULL,
  due ${text} NOT NULL,
  until ${text} NOT NULL,
  state ${text} NOT NULL,
  finished ${text},
  again ${whole} NOT NULL,
  holder ${text},
  held ${text},
  attempts ${text} NOT NULL
)${kind};
CREATE INDEX IF NOT EXISTS twain_delivery_webhook ON twain_delivery (webhook, position);
CREATE INDEX IF NOT EXISTS twain_delivery_pending ON twain_delivery (webhook, position) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS twain_delivery_subject ON twain_delivery (webhook, subject, position) WHERE state = 'pending';
CREATE INDEX IF NOT EXISTS twain_delivery_finished ON twain_delivery (finished) WHERE finished IS NOT NULL`
}
