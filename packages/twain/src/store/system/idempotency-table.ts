// The answers of writes that came with an `Idempotency-Key`, kept in the write's own transaction. Both databases take it so.

/** `text` is the type of a text that is ordered by code point; `kind` is said of the table. */
export function onceTable({ text, kind }: { text: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_once (
  id ${text} PRIMARY KEY, -- a hash of viewer, key and operation
  print ${text} NOT NULL, -- a hash of what was sent
  answer ${text} NOT NULL, -- JSON
  time ${text} NOT NULL
)${kind};
CREATE INDEX IF NOT EXISTS twain_once_time ON twain_once (time)`
}
