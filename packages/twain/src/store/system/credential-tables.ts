// The tables of identity: who may sign in, who has, the tickets of streams, the keys of machines, and what tokens are signed
// with. What they mean is told in vault.ts. None of them ever stands in the change log. Both databases take them so.

/** `text` is the type of a text that is ordered by code point; `kind` is said of each table. */
export function credentialTables({ text, kind }: { text: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_login (
  account ${text} PRIMARY KEY, -- the id of the account's row
  login ${text} NOT NULL UNIQUE, -- canonical
  hash ${text}, -- of the password, in PHC form; null for an account that has none
  changed ${text} NOT NULL
)${kind};
CREATE TABLE IF NOT EXISTS twain_token (
  id ${text} PRIMARY KEY, -- one for each signing in, whatever is renewed in it
  account ${text} NOT NULL,
  generation INTEGER NOT NULL, -- how often it was renewed: the refresh token of this generation is the one that counts
  created ${text} NOT NULL,
  used ${text} NOT NULL, -- when it was made or last renewed
  expires ${text} NOT NULL, -- of its refresh token
  ended ${text}
)${kind};
CREATE INDEX IF NOT EXISTS twain_token_account ON twain_token (account);
CREATE TABLE IF NOT EXISTS twain_key (
  id ${text} PRIMARY KEY,
  hash ${text} NOT NULL UNIQUE, -- SHA-256 of the key
  name ${text},
  roles ${text} NOT NULL, -- a JSON list
  created ${text} NOT NULL,
  ended ${text}
)${kind};
CREATE TABLE IF NOT EXISTS twain_ticket (
  hash ${text} PRIMARY KEY, -- SHA-256 of the ticket
  identity ${text} NOT NULL, -- whom it was given to, as JSON
  proof ${text}, -- by which the stream that used it is known again; null while nobody did
  expires ${text} NOT NULL -- soon while nobody used it, later then
)${kind};
CREATE INDEX IF NOT EXISTS twain_ticket_expires ON twain_ticket (expires);
CREATE TABLE IF NOT EXISTS twain_secret (
  name ${text} PRIMARY KEY,
  value ${text} NOT NULL,
  created ${text} NOT NULL
)${kind}`
}
