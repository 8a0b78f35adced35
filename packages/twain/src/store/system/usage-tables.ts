// Who used what of the contract, by day, and since when something is served as deprecated. Both databases take them so.

/** `text` is the type of a text that is ordered by code point, `whole` that of a number; `kind` is said of each table. */
export function usageTables({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_usage (
  day ${text} NOT NULL,
  path ${text} NOT NULL, -- Post, Post.title, Query.topAuthors
  client ${text} NOT NULL, -- as it calls itself
  asked ${whole} NOT NULL, -- how often it was named
  whole ${whole} NOT NULL, -- how often it stood in a whole row, of which nobody had chosen the fields
  PRIMARY KEY (day, path, client)
)${kind};
CREATE TABLE IF NOT EXISTS twain_deprecated (
  path ${text} PRIMARY KEY,
  since ${text} NOT NULL
)${kind}`
}
