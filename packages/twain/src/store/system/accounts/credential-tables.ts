// The tables of credentials, the same on both databases. `credential-store.ts` describes them. None of them is in the change
// log.

/** `text` is the SQL type of texts that sort by code point; `kind` is appended to each table; `newId` is appended to a column of ids that nodes of an earlier build leave out. */
export function credentialTables({ text, kind, newId = '' }: { text: string; kind: string; newId?: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_login (
  account ${text} PRIMARY KEY, -- the id of the account's row
  login ${text} NOT NULL UNIQUE, -- canonical
  hash ${text}, -- of the password, in PHC format; null for an account without one
  changed ${text} NOT NULL
)${kind};
CREATE TABLE IF NOT EXISTS twain_identity (
  issuer ${text} NOT NULL, -- the exact iss
  subject ${text} NOT NULL, -- the exact value of the claim that identifies an account there
  account ${text} NOT NULL, -- the id of the account's row
  address ${text}, -- the address that the issuer has verified, with small ASCII letters
  created ${text} NOT NULL,
  used ${text} NOT NULL, -- to the hour
  id ${text}${newId}, -- by which the APIs name it
  provider ${text}, -- its name in auth.providers; null: the identity came with a token of an external issuer
  PRIMARY KEY (issuer, subject)
)${kind};
CREATE INDEX IF NOT EXISTS twain_identity_account ON twain_identity (account);
CREATE TABLE IF NOT EXISTS twain_token (
  id ${text} PRIMARY KEY, -- one for each sign-in, across all its renewals
  account ${text}, -- null: somebody acts as a role
  generation INTEGER NOT NULL, -- how often it was renewed: only the refresh token of this generation is valid
  created ${text} NOT NULL,
  used ${text} NOT NULL, -- when it was created or last renewed
  expires ${text} NOT NULL, -- of its refresh token
  ended ${text},
  client ${text}, -- the name of the client that signed in; null: it sent none
  how ${text}, -- how it signed in; null for sessions of earlier builds
  address ${text}, -- the network of the client that signed in
  seen ${text}, -- when it was last used, to the minute; null: not since it was created or renewed
  actor ${text}, -- the account of whoever acts as the account or role; null: an operator, a key, or nobody else
  by ${text}, -- whoever acts, as in the change log; null: the account itself signed in
  identity ${text}, -- of whoever acts, as JSON
  role ${text}, -- as which somebody acts
  read_only INTEGER, -- 1: whoever acts may only read
  reason ${text} -- why somebody acts
)${kind};
CREATE INDEX IF NOT EXISTS twain_token_of_account ON twain_token (account, created);
CREATE INDEX IF NOT EXISTS twain_token_created ON twain_token (created, id);
CREATE INDEX IF NOT EXISTS twain_token_expires ON twain_token (expires);
CREATE TABLE IF NOT EXISTS twain_key (
  id ${text} PRIMARY KEY,
  hash ${text} NOT NULL UNIQUE, -- SHA-256 of the key
  name ${text},
  roles ${text} NOT NULL, -- a JSON list
  created ${text} NOT NULL,
  ended ${text},
  seen ${text} -- when it was last used, to the minute; null: never
)${kind};
CREATE TABLE IF NOT EXISTS twain_ticket (
  hash ${text} PRIMARY KEY, -- SHA-256 of the ticket
  identity ${text} NOT NULL, -- of the viewer, as JSON
  proof ${text}, -- identifies the stream that used it; null before its first use
  expires ${text} NOT NULL -- soon before its first use, later afterwards
)${kind};
CREATE INDEX IF NOT EXISTS twain_ticket_expires ON twain_ticket (expires);
CREATE TABLE IF NOT EXISTS twain_sign_in_code (
  hash ${text} PRIMARY KEY, -- SHA-256 of the code that an application got after a sign-in with a provider
  challenge ${text} NOT NULL, -- of the application's verifier
  body ${text} NOT NULL, -- the identity, encrypted
  created ${text} NOT NULL,
  expires ${text} NOT NULL,
  used ${text} -- by which session or identity, until the end of its transaction
)${kind};
CREATE INDEX IF NOT EXISTS twain_sign_in_code_expires ON twain_sign_in_code (expires);
CREATE TABLE IF NOT EXISTS twain_secret (
  name ${text} PRIMARY KEY,
  value ${text} NOT NULL,
  created ${text} NOT NULL
)${kind}`
}

/** An index of earlier builds. */
export const formerTokenIndex = 'twain_token_account'

/** For the sessions in which an account acts as others. Apart from the tables, because databases of earlier builds first get the column. */
export const actorIndex = 'CREATE INDEX IF NOT EXISTS twain_token_actor ON twain_token (actor, created)'

/** Columns of `twain_token` that databases of earlier builds lack. */
export function actingColumns(text: string): { table: string; column: string; definition: string }[] {
  const texts = ['actor', 'by', 'identity', 'role', 'reason']
  const columns = texts.map((column) => ({ table: 'twain_token', column, definition: text }))
  return [...columns, { table: 'twain_token', column: 'read_only', definition: 'INTEGER' }]
}
