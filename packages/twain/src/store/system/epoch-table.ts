// The table of the epochs of the change log (`changes/epochs.ts`), the same on both databases.

/** Parameters as in `webhookTables`. `id` is SQL of a random id: eight hexadecimal digits. */
export function epochTable({ text, whole, kind, id }: Record<'text' | 'whole' | 'kind' | 'id', string>): string {
  return `
CREATE TABLE IF NOT EXISTS twain_epoch (
  n ${whole} PRIMARY KEY,
  id ${text} NOT NULL UNIQUE,
  system ${text}, -- the PostgreSQL cluster and its timeline; null: not known
  timeline ${text},
  after_position ${whole} NOT NULL, -- of the change log: its changes are behind it
  version_floor ${whole} NOT NULL -- versions of rows are greater
)${kind};
INSERT INTO twain_epoch (n, id, after_position, version_floor) SELECT 0, ${id}, 0, 0
  WHERE NOT EXISTS (SELECT 1 FROM twain_epoch) ON CONFLICT DO NOTHING`
}
